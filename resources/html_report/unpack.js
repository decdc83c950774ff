"use strict";

/** A run's data: pieces in an HTML report, each compressed by itself, unpacked when first needed. */
class Run {
  /**
   * @param {string} name - of its file, where the run has no name of its own
   * @param {Map<string, string>} pieces - as they stand in the page, by name
   */
  constructor(name, pieces) {
    this.name = name;
    this.pieces = pieces;
    this.known = new Map();
  }

  /** The pieces of this page. */
  static here() {
    const nodes = [...document.querySelectorAll("script[data-piece]")];
    return new Map(nodes.map((node) => [node.dataset.piece, node.textContent]));
  }

  /** The pieces of another page, found in its text: nothing in it is parsed as a document. */
  static within(text) {
    const found = text.matchAll(/<script type="text\/plain" data-piece="([^"]*)">([^<]*)</g);
    return new Map(Array.from(found, ([, name, piece]) => [name, piece]));
  }

  /** Whether there is a piece of that name. */
  has(name) {
    return this.pieces.has(name);
  }

  /** A piece as a text. */
  async text(name) {
    const packed = Uint8Array.from(atob(this.pieces.get(name)), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  /** A piece as a value, unpacked once. */
  value(name) {
    if (!this.known.has(name)) {
      this.known.set(name, this.text(name).then((text) => JSON.parse(text).value));
    }
    return this.known.get(name);
  }

  /** One of a list that stands in blocks. */
  async inBlock(name, position) {
    const block = await this.value(`${name}/${Math.floor(position / this.about.block)}`);
    return block[position % this.about.block];
  }

  /** A run with its description loaded. */
  static async of(name, pieces) {
    const run = new Run(name, pieces);
    if (!run.has("run")) throw new Error(`${name} is not an HTML report of steadfast; choose results/report.html of another run.`);
    run.about = await run.value("run");
    run.name = run.about.name || name;
    return run;
  }
}
