const ROWS = 100;
/** Requests to judges about a response that are open at first, at most. */
const OPEN = 2;
const SORTED = { sample: "id", part: "part", task: "task", model: "label", status: "status", score: "value", other: "otherValue" };

/** A row for each response of a benchmark. */
async function answerRows(run, benchmark) {
  if (!run.has(`index/${benchmark}`)) return [];
  const rows = [];
  for (const { name: part, samples, answers } of await run.value(`index/${benchmark}`)) {
    for (const [model, repeats] of Object.entries(answers)) {
      repeats.forEach((found, repeat) => {
        found.forEach(([status, total, points, differ], position) => {
          const [id, task, digest] = samples[position];
          const label = (run.about.models[model] ?? model) + (repeat ? ` (repeat ${repeat})` : "");
          rows.push({ benchmark, part, id, task, digest, model, repeat, label, position, status, total, points, differ: Boolean(differ) });
        });
      });
    }
  }
  return rows;
}

const rowName = ({ part, id, model, repeat }) => JSON.stringify([part, id, model, repeat]);
const address = ({ benchmark, part, model, repeat, id }) => `#samples/${[benchmark, part, model, repeat, id].map(encodeURIComponent).join("/")}`;

/** Responses without a score first, then the lowest scores; equal ones keep their order. */
const worstFirst = (a, b) => (a.value ?? -Infinity) - (b.value ?? -Infinity) || 0;

/** The samples of a run: filters, a list of responses, and one sample in full. */
class SampleView {
  constructor(section, run, other) {
    Object.assign(this, { section, run, other, rows: [], found: [], first: 0, chosen: null });
    this.sorted = { key: null, sign: 1 };
    const named = run.about.benchmarks.filter(({ has_samples: has }) => has);
    this.benchmark = select("Benchmark", named.map(({ name, title }) => [name, title]), { onchange: () => this.load() });
    const again = { onchange: () => this.find() };
    this.choices = Object.fromEntries(["Model", "Part", "Task", "Status"].map((label) => [label, select(label, [], again)]));
    this.scoreOf = select("Score of", [], again);
    const bound = () => element("input", { type: "number", step: "any", oninput: () => this.find() });
    this.least = bound();
    this.most = bound();
    this.differ = element("input", { type: "checkbox", onchange: () => this.find() });
    this.text = element("input", { type: "search", placeholder: "part of its name", title: "part of a sample's name", oninput: () => this.find() });
    this.changes = select("Change", [["", "all"], ["score", "other score or status"], ["asked", "other prompt"], ["none", "not in the other run"]], again);
    this.counted = element("p", { role: "status" });
    this.key = element("p", { class: "key" }, "Failures first, then the lowest scores; a heading sorts its column. ",
      "≠ raters differ: they give the response different totals. LIFBench's raters are its two rubrics, released and corrected; elsewhere they are the judges.");
    this.names = element("p", { class: "key" });
    this.list = element("div");
    this.detail = element("div", { class: "detail" });
    const form = element("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      this.benchmark.field, Object.values(this.choices).map(({ field }) => field), this.scoreOf.field,
      field("from", this.least, true), field("to", this.most, true),
      field("≠ raters differ", this.differ), field("Sample", this.text, true),
      other ? this.changes.field : null);
    this.body = element("div", { class: "samples wide" }, this.list, this.detail);
    section.replaceChildren(form, this.names, this.key, this.counted, this.body);
  }

  /** Reads a benchmark's responses, and offers what they can be filtered by. */
  async load() {
    const benchmark = this.benchmark.node.value;
    const { sample_names: names } = this.run.about.benchmarks.find(({ name }) => name === benchmark) ?? {};
    this.names.replaceChildren(...visible(names ? `Names of samples: ${names}` : ""));
    this.names.hidden = !names;
    this.rows = await answerRows(this.run, benchmark);
    this.others = new Map((this.other ? await answerRows(this.other, benchmark) : []).map((row) => [rowName(row), row]));
    const values = (key) => [...new Set(this.rows.map((row) => row[key]))];
    const all = (of) => [["", "all"], ...of.map((value) => [value, value])];
    for (const [label, key] of [["Part", "part"], ["Task", "task"], ["Status", "status"]]) setOptions(this.choices[label].node, all(values(key)));
    setOptions(this.choices.Model.node, [["", "all"], ...values("model").map((model) => [model, this.run.about.models[model] ?? model])]);
    const points = [...new Set(this.rows.flatMap(({ points: of }) => Object.keys(of ?? {})))];
    points.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    setOptions(this.scoreOf.node, [["", "total"], ...points.map((name) => [name, name])]);
    this.detail.replaceChildren();
    this.body.classList.add("wide");
    this.chosen = null;
    this.find();
  }

  /** Finds the rows that the filters want. */
  find() {
    const chosen = Object.fromEntries(Object.entries(this.choices).map(([label, { node }]) => [label, node.value]));
    const bounds = [this.least, this.most].map(({ value }) => (value === "" ? null : Number(value)));
    const [point, wanted, change] = [this.scoreOf.node.value, this.text.value, this.changes.node.value];
    this.found = this.rows.filter((row) => {
      const other = this.others.get(rowName(row));
      row.value = point ? row.points?.[point] ?? null : row.total;
      row.otherValue = other && (point ? other.points?.[point] ?? null : other.total);
      if (["Model", "Part", "Task", "Status"].some((label) => chosen[label] && row[label.toLowerCase()] !== chosen[label])) return false;
      if (bounds.some((bound) => bound !== null) && row.value === null) return false;
      if ((bounds[0] !== null && row.value < bounds[0]) || (bounds[1] !== null && row.value > bounds[1])) return false;
      if ((this.differ.checked && !row.differ) || !row.id.includes(wanted)) return false;
      if (!change) return true;
      if (change === "none" || !other) return change === "none" && !other;
      return change === "asked" ? other.digest !== row.digest : other.status !== row.status || row.otherValue !== row.value;
    });
    this.first = 0;
    this.order();
  }

  order() {
    const { key, sign } = this.sorted;
    const shown = [...this.found];
    if (!key) shown.sort(worstFirst);
    else shown.sort((a, b) => compareCells(a[key] === null ? null : String(a[key] ?? ""), b[key] === null ? null : String(b[key] ?? ""), sign));
    this.shown = shown;
    this.fill();
  }

  sort(key) {
    this.sorted = { key, sign: this.sorted.key === key ? -this.sorted.sign : 1 };
    this.order();
  }

  /** Fills the list with the rows of one page. */
  fill() {
    const columns = ["sample", "score", ...(this.other ? ["other"] : []), "status", "model", "task", "part"];
    const heads = columns.map((column) => {
      const key = SORTED[column];
      const state = key !== this.sorted.key ? "none" : this.sorted.sign > 0 ? "ascending" : "descending";
      const words = column === "other" ? "score in other run" : column;
      return element("th", { scope: "col", "aria-sort": state, class: "left" }, element("button", { type: "button", onclick: () => this.sort(key) }, words));
    });
    const rows = this.shown.slice(this.first, this.first + ROWS).map((row) => this.row(row));
    const turn = (words, by) => {
      const start = this.first + by;
      const turned = () => { this.first = start; this.fill(); };
      return element("button", { type: "button", disabled: start < 0 || start >= this.shown.length, onclick: turned }, words);
    };
    const last = Math.min(this.first + ROWS, this.shown.length);
    this.counted.textContent = `${count(this.shown.length)} of ${count(this.rows.length)} responses`;
    const pages = element("p", { class: "pages" }, turn("Previous", -ROWS), ` ${rows.length ? count(this.first + 1) : 0}–${count(last)} `, turn("Next", ROWS));
    const grid = element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows));
    this.list.replaceChildren(element("div", { class: "scroll list", tabindex: "0", role: "region", "aria-label": "Responses" }, grid), pages);
  }

  row(row) {
    const open = element("button", { type: "button", class: "open", onclick: () => this.open(row) }, visible(row.id));
    const raters = row.differ ? element("span", { "aria-label": "raters differ" }, " ≠") : null;
    const beside = this.others.has(rowName(row)) ? score(row.otherValue) : "absent";
    const words = [row.status, row.label, row.task, row.part].map(visible);
    const cells = [[score(row.value), raters], ...(this.other ? [beside] : []), ...words];
    row.node = element("tr", { class: row === this.chosen ? "chosen" : "" }, element("th", { scope: "row", class: "left" }, open), cells.map((cell) => element("td", { class: "left" }, cell)));
    return row.node;
  }

  /** Shows a sample in full: its prompt, and the responses to it side by side. */
  async open(row) {
    this.chosen?.node?.classList.remove("chosen");
    this.chosen = row;
    this.body.classList.remove("wide");
    row.node?.classList.add("chosen");
    history.replaceState(null, "", address(row));
    const asked = await sampleOf(this.run, row);
    const beside = this.others.get(rowName(row));
    const parts = [promptParts(asked)];
    const answers = [[this.other ? `${row.label}, ${this.run.name}` : row.label, this.run, row]];
    if (this.other) {
      if (!beside) parts.push([element("p", { class: "warning" }, visible(`${this.other.name} has no response to this sample.`))]);
      else answers.push([`${beside.label}, ${this.other.name}`, this.other, beside]);
      if (beside && beside.digest !== row.digest) {
        parts.push([element("p", { class: "warning" }, visible(`${this.other.name} has another prompt under this name:`)), promptParts(await sampleOf(this.other, beside))]);
      }
    }
    const models = this.rows.filter(({ part, id, model, repeat }) => part === row.part && id === row.id && (model !== row.model || repeat !== row.repeat));
    const grid = element("div", { class: "answers" });
    const add = async ([heading, run, one]) => grid.append(answerPart(heading, await answerOf(run, one)));
    for (const one of answers) await add(one);
    const more = element("button", { type: "button", onclick: async () => {
      more.remove();
      this.body.classList.add("wide");
      for (const one of models) await add([one.label, this.run, one]);
    } }, `Show all models' responses (${count(models.length)} more)`);
    const head = element("h2", { tabindex: "-1" }, visible(row.id));
    const place = element("p", {}, visible(`Part ${row.part}, task ${row.task}`));
    if (this.chosen !== row) return;
    this.detail.replaceChildren(head, place, ...parts.flat(Infinity), models.length ? more : "", grid);
    head.focus({ preventScroll: true });
    if (!matchMedia("(min-width: 75rem)").matches) this.detail.scrollIntoView();
  }
}

const sampleOf = (run, { benchmark, part, position }) => run.inBlock(`samples/${benchmark}/${part}`, position);
const answerOf = (run, { benchmark, part, model, repeat, position }) => run.inBlock(`answers/${benchmark}/${part}/${model}/${repeat}`, position);

/** The prompt and what is expected. */
function promptParts(sample) {
  const parts = (sample.before ?? []).flatMap((turn) => block("Previous turn", turn));
  parts.push(...block("Instruction", sample.instruction));
  if (sample.places) {
    parts.push(element("h3", {}, "Context, at the passages that the instruction is about"));
    for (const [before, place, behind] of sample.places) {
      parts.push(element("pre", { dir: "auto", tabindex: "0", "aria-label": "Piece of the context" }, visible(before), element("mark", {}, visible(place)), visible(behind)));
    }
    if (sample.more) parts.push(element("p", {}, `${count(sample.more)} more passages`));
  } else if (sample.start !== undefined) {
    parts.push(...block(`Start of the context (${count(sample.length)} characters); the instruction is about no single passage`, sample.start));
  }
  if (sample.fields) {
    const rows = sample.fields.map(([name, value]) => element("tr", {}, element("th", { scope: "row", class: "left" }, visible(name)), element("td", { class: "left", dir: "auto" }, whole(value))));
    const grid = element("table", { class: "fields" }, element("tbody", {}, rows));
    parts.push(element("h3", {}, "Instance"), element("div", { class: "scroll instance", tabindex: "0", role: "region", "aria-label": "Instance" }, grid));
  }
  return [...parts, ...block("Expected (reference answer)", sample.expected)];
}

/** A response with its reasoning, every score point, and judges' prompts and replies. */
function answerPart(heading, answer) {
  const parts = [element("h3", {}, visible(heading))];
  const cut = answer.prompt_truncated ? `; context truncated by ${count(answer.prompt_truncated)} tokens` : "";
  parts.push(element("p", {}, `Status: ${answer.status ?? "not requested"}${cut}`));
  if (answer.error) parts.push(...block("Error", answer.error, "h4"));
  if (answer.reasoning) parts.push(folded("Reasoning", answer.reasoning));
  parts.push(...block("Response", answer.text ?? "", "h4"));
  if (answer.score) parts.push(...scoreParts(answer.score));
  const judged = answer.judged ?? [];
  judged.forEach((request, number) => parts.push(judgedPart(request, number, judged.length <= OPEN)));
  return element("article", {}, parts);
}

function scoreParts(given) {
  const raters = Object.entries({ [given.judge ? `by ${given.judge}` : "score"]: given, ...given.others });
  const names = [...new Set(raters.flatMap(([, { points }]) => Object.keys(points)))];
  const line = (name, values) => element("tr", {}, element("th", { scope: "row", class: "left" }, visible(name)), values.map((value) => element("td", { class: new Set(values).size > 1 ? "changed" : "" }, value)));
  const rows = names.map((name) => line(name, raters.map(([, { points }]) => score(points[name]))));
  rows.push(line("total", raters.map(([, { total }]) => score(total))), line("status", raters.map(([, { status }]) => status)));
  const heads = ["point", ...raters.map(([name]) => name)].map((name) => element("th", { scope: "col" }, visible(name)));
  const grid = element("div", { class: "scroll" }, element("table", { class: "points" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
  const read = raters.filter(([, { extracted }]) => extracted !== undefined).flatMap(([name, { extracted }]) => block(`Extracted from the response (${name})`, extracted, "h4"));
  return [element("h4", {}, "Points"), grid, ...read];
}

function judgedPart({ asked, replies }, number, open) {
  const parts = [folded("Prompt to the judge, after the response", asked)];
  for (const [judge, { status, text, reasoning }] of Object.entries(replies)) {
    if (reasoning) parts.push(folded(`Reasoning of judge ${judge}`, reasoning));
    parts.push(...block(`Reply of judge ${judge} (${status})`, text, "h4"));
  }
  const judges = Object.entries(replies).map(([judge, { status }]) => `${judge} (${status})`);
  const heading = `Judge request ${number + 1}: ${judges.join(", ") || "no reply yet"}`;
  return element("details", { open }, element("summary", {}, visible(heading)), parts);
}

/** Shows the samples; the one that the address names is opened. */
async function showSamples(section, run, other) {
  const [, benchmark, part, model, repeat, id] = location.hash.split("/").map(decodeURIComponent);
  if (!run.about.benchmarks.some(({ has_samples: has }) => has)) {
    section.replaceChildren(element("p", {}, "No model was evaluated: the scores are released ones, and there are no samples."));
    return;
  }
  const view = new SampleView(section, run, other);
  if (benchmark && run.has(`index/${benchmark}`)) view.benchmark.node.value = benchmark;
  await view.load();
  const named = view.rows.find((row) => row.part === part && row.model === model && String(row.repeat) === repeat && row.id === id);
  if (named) await view.open(named);
}
