/** A plain table of rows under one caption. */
function plainTable(caption, columns, rows) {
  const heads = columns.map((heading, place) => ["", heading, place === 0 || rows.every((row) => Number.isNaN(sortKey(row[place]).number)) ? "l" : "r"]);
  return new TableView({ name: "", caption, columns: heads, sections: [{ heading: "", rows }], notes: [] }).node;
}

/** Samples that were requested and scored, by status. */
function coverage({ coverage: counts, statuses, models }) {
  const ends = [...new Set([...statuses, ...counts.flatMap((one) => Object.keys(one.statuses))])];
  const used = ends.filter((status) => counts.some((one) => one.statuses[status]));
  const rows = counts.map((one) => {
    const all = Object.values(one.statuses).reduce((sum, number) => sum + number, 0);
    const found = used.map((status) => count(one.statuses[status] ?? 0));
    return [one.benchmark, models[one.model] ?? one.model, count(all), count(one.scored), ...found];
  });
  return plainTable("Coverage: responses requested, responses with a score, and responses by status.", ["Benchmark", "Model", "Requested", "Scored", ...used], rows);
}

function usage({ usage: { columns, rows } }) {
  const heads = columns.map((name) => name.replace("_", " "));
  const numbers = new Set(["requests", "logical_tokens", "computed_tokens", "cached_tokens", "written_tokens", "output_tokens"]);
  const shown = rows.map((row) => row.map((value, place) => (value && numbers.has(columns[place]) ? count(Number(value)) : value)));
  return plainTable("Tokens of each job, the share of prompt tokens read from a prompt cache (hit rate), and their cost. A dash: not counted, or no price in the config.", heads, shown);
}

/** Name and value of everything in provenance, the inner ones by their path. */
function* flat(value, path = "") {
  if (value !== null && typeof value === "object" && Object.keys(value).length) {
    for (const [name, inner] of Object.entries(value)) yield* flat(inner, path ? `${path}.${name}` : name);
  } else {
    yield [path, value === null ? "none" : typeof value === "object" ? "–" : String(value)];
  }
}

function provenance({ name, judge, parts, provenance: of }, models) {
  const heading = `${models[name] ?? name}${judge ? " (judge)" : ""}: ${parts.join(", ")}`;
  const rows = [...flat(of)].map(([key, value]) => element("tr", {}, element("th", { scope: "row", class: "left" }, visible(key)), element("td", { class: "left" }, visible(value))));
  return element("details", {}, element("summary", {}, visible(heading)), element("div", { class: "scroll" }, element("table", { class: "provenance" }, element("tbody", {}, rows))));
}

/** What is left out of long texts, where something is. */
function cutNote(cut) {
  if (!cut) return null;
  const cuts = [["Reasoning, fields of the data and prompts to judges", cut.aside], ["instructions, responses and judges' replies", cut.most]];
  const words = cuts.filter(([, most]) => most !== null).map(([what, most]) => `${what} of more than ${count(most)} characters`);
  return element("p", { class: "warning" }, `${words.join("; ")} are shortened, so that this file stays small. \`steadfast show\` prints a sample in full.`);
}

/** What was run: data, coverage, cost, and the provenance of the responses. */
function showRun(section, run, other) {
  const level = other ? "h3" : "h2";
  const parts = [run, other].filter(Boolean).map(({ name, about }) => element("div", {},
    other ? element("h2", {}, visible(name)) : null,
    element(level, {}, "Data"),
    about.trial ? element("p", { class: "warning" }, visible(about.trial)) : null,
    about.benchmarks.map((one) => element("p", {}, visible(one.data_note || `${one.title}: the benchmark does not describe its data.`))),
    cutNote(about.cut),
    element(level, {}, "Coverage"),
    coverage(about),
    element(level, {}, "Tokens and cost"),
    usage(about),
    element(level, {}, "Provenance of the responses"),
    about.provenances.length ? about.provenances.map((one) => provenance(one, about.models)) : element("p", {}, "No model was evaluated: the scores are released ones."),
  ));
  section.replaceChildren(element("div", { class: other ? "two" : "" }, parts));
}

/** A figure with its caption. */
async function figurePart(run, title, { name, caption }) {
  const picture = new Blob([await run.text(`figure/${name}`)], { type: "image/svg+xml" });
  const image = element("img", { src: URL.createObjectURL(picture), alt: caption.startsWith(title) ? caption : `${title}: ${caption}` });
  return element("figure", {}, image, element("figcaption", {}, visible(caption)));
}

/** Figures with their captions, drawn when the section is first shown. */
async function showFigures(section, run, other) {
  const shown = [];
  for (const one of [run, other].filter(Boolean)) {
    if (other) shown.push(element("h2", {}, visible(one.name)));
    for (const { title, figures } of one.about.benchmarks) {
      if (figures.length) shown.push(element(other ? "h3" : "h2", {}, visible(title)));
      for (const figure of figures) shown.push(await figurePart(one, title, figure));
    }
  }
  section.replaceChildren(...shown);
}
