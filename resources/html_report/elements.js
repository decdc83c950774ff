/** An element with attributes and children; a text is never read as markup. */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Characters that a browser acts on or does not show, but for ends of lines and tabs. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** The nodes of a text of any origin; its hidden characters are shown by their code points. */
function visible(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(HIDDEN)) {
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(text.slice(end, found.index), element("span", { class: "hidden-character" }, `U+${code}`));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)];
}

/** A text; of one that was shortened, its start, how much is left out, and its end. */
function whole(value) {
  if (!Array.isArray(value)) return visible(value);
  const [start, left, end] = value;
  const note = `[${count(left)} characters omitted]`;
  return [...visible(start), element("span", { class: "left-out" }, note), ...visible(end)];
}

/** A block of text under a heading of a level. */
function block(heading, value, level = "h3", attributes = {}) {
  return [element(level, {}, heading), element("pre", { dir: "auto", tabindex: "0", "aria-label": heading, ...attributes }, whole(value))];
}

/** A block that is closed at first. */
function folded(heading, value) {
  const length = Array.isArray(value) ? value[0].length + value[1] + value[2].length : value.length;
  return element(
    "details", {},
    element("summary", {}, `${heading} (${count(length)} characters)`),
    element("pre", { dir: "auto", tabindex: "0", "aria-label": heading }, whole(value)),
  );
}

/** Opens or closes details; what fills them when they open does so at once. */
function setOpen(details, open) {
  details.open = open;
  details.dispatchEvent(new Event("toggle"));
}

let labels = 0;

/** A control behind its label, or before it. */
function field(label, node, before = false) {
  labels += 1;
  node.id = `field-${labels}`;
  const words = element("label", { for: node.id }, label);
  return element("span", { class: "field" }, before ? [words, node] : [node, words]);
}

/** A selection and, with its label, its field. */
function select(label, options, attributes = {}) {
  const made = options.map(([value, text]) => element("option", { value }, text));
  const node = element("select", attributes, made);
  return { node, field: field(label, node, true) };
}

/** Other options in a selection, which keeps its value where it can. */
function setOptions(node, options) {
  const before = node.value;
  node.replaceChildren(...options.map(([value, text]) => element("option", { value }, text)));
  if (options.some(([value]) => value === before)) node.value = before;
}

/** A number as people read it. */
function count(number) {
  return number.toLocaleString("en");
}

/** A score as it is shown. */
function score(value) {
  return value === null || value === undefined ? "–" : String(Math.round(value * 1000) / 1000);
}
