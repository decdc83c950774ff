/** The number at the start of a cell, or its text: by what a column is sorted. */
function sortKey(cell) {
  const text = cellText(cell);
  const number = Number.parseFloat(text.replace(/^[<>≥≤\s]+/, "").replace(/,(?=\d{3})/g, ""));
  return { text, number, empty: text === "" };
}

function cellText(cell) {
  const text = cell !== null && typeof cell === "object" ? cell.text : cell;
  return text ?? "";
}

/** Which of two cells comes first; those without a value come last either way. */
function compareCells(a, b, sign) {
  const [first, second] = [sortKey(a), sortKey(b)];
  if (first.empty || second.empty) return first.empty - second.empty;
  const numbers = !Number.isNaN(first.number) && !Number.isNaN(second.number);
  if (numbers && first.number !== second.number) return sign * (first.number - second.number);
  return sign * first.text.localeCompare(second.text, "en", { numeric: true });
}

const STYLES = { best: "cannot be ruled out as best (paired test)", first: "the best value", second: "the second best value" };
const MARKS = { dagger: "†", incomplete: "*" };

/** Whether a column has the intervals of the column before it, which stand below its values. */
function isInterval(columns, column) {
  const heading = columns[column][1];
  return column > 0 && (heading === "95 % interval" || heading === `${columns[column - 1][1]}: 95 %`);
}

/** A table that sorts and filters. Rows stay in their section: what is no model is never ranked
 * among models. */
class TableView {
  /**
   * @param {object} data - as in the data of the HTML report
   * @param {object|null} before - the same table of another run, whose other values are marked
   */
  constructor(data, before = null) {
    this.data = data;
    this.before = before && new Map(rowsByKey(before));
    this.sorted = { column: -1, sign: 1 };
    this.filter = { text: "", printed: true };
    this.body = element("tbody");
    this.columns = data.columns.map((_, column) => column).filter((column) => !isInterval(data.columns, column));
    this.heads = this.columns.map((column) => this.head(data.columns[column][1], column));
    const grid = element("table", {}, element("thead", {}, this.groups(), element("tr", {}, this.heads)), this.body);
    const caption = element("p", { class: "caption" }, visible(data.caption));
    const notes = data.notes.map(([mark, text]) => element("li", {}, visible(`${mark ? `${MARKS[mark]} ` : ""}${text}`)));
    const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": data.caption }, grid);
    this.node = element("div", { class: "table" }, caption, scroll, notes.length ? element("ul", { class: "notes" }, notes) : null);
    this.fill();
  }

  /** The headings that columns share; none where no column has one. */
  groups() {
    const cells = [];
    for (const column of this.columns) {
      const [group] = this.data.columns[column];
      const last = cells.at(-1);
      if (last && last.group === group) last.width += 1;
      else cells.push({ group, width: 1 });
    }
    if (!cells.some(({ group }) => group)) return null;
    return element("tr", {}, cells.map(({ group, width }) => element("th", { colspan: width, scope: "colgroup", class: group ? "group" : "" }, visible(group))));
  }

  head(heading, column) {
    const button = element("button", { type: "button", onclick: () => this.sort(column) }, visible(heading));
    return element("th", { scope: "col", "aria-sort": "none", class: this.align(column) }, button);
  }

  align(column) {
    return { l: "left", r: "right", c: "center" }[this.data.columns[column][2]];
  }

  /** Sorts by a column, downwards first where it has numbers; a third time restores the order. */
  sort(column) {
    const { column: last, sign } = this.sorted;
    const cells = this.data.sections.flatMap(({ rows }) => rows.map((row) => row[column]));
    const first = cells.some((cell) => !Number.isNaN(sortKey(cell).number)) ? -1 : 1;
    if (last !== column) this.sorted = { column, sign: first };
    else if (sign === first) this.sorted = { column, sign: -first };
    else this.sorted = { column: -1, sign: 1 };
    this.heads.forEach((head, place) => {
      const state = this.columns[place] !== this.sorted.column ? "none" : this.sorted.sign > 0 ? "ascending" : "descending";
      head.setAttribute("aria-sort", state);
    });
    this.fill();
  }

  /** Shows the rows that have a text in some cell. */
  show(filter) {
    this.filter = filter;
    this.fill();
  }

  fill() {
    const { column, sign } = this.sorted;
    const wanted = this.filter.text.toLowerCase();
    this.body.replaceChildren();
    this.rows = 0;
    for (const section of this.data.sections) {
      if (section.printed && !this.filter.printed) continue;
      const rows = section.rows.filter((row) => row.some((cell) => cellText(cell).toLowerCase().includes(wanted)));
      if (column >= 0) rows.sort((a, b) => compareCells(a[column], b[column], sign));
      if (rows.length && section.heading) {
        const head = element("th", { colspan: this.columns.length, scope: "rowgroup" }, visible(section.heading));
        this.body.append(element("tr", { class: "section" }, head));
      }
      this.body.append(...rows.map((row) => this.row(section, row)));
      this.rows += rows.length;
    }
    this.node.hidden = wanted !== "" && this.rows === 0;
  }

  row(section, row) {
    const other = this.before?.get(rowKey(section, row, this.data));
    return element("tr", {}, this.columns.map((column) => {
      const cell = this.cell(row[column], column, other?.get(columnKey(this.data, column)));
      const next = column + 1;
      const interval = next < row.length && isInterval(this.data.columns, next) ? cellText(row[next]) : "";
      if (interval) cell.append(element("small", {}, visible(interval)));
      return cell;
    }));
  }

  /** A cell; those that are picked out, and those with another value in the other run, say so. */
  cell(cell, column, before) {
    const more = cell !== null && typeof cell === "object" ? cell : {};
    const text = cellText(cell);
    const changed = before !== undefined && before !== text;
    const tag = column === 0 ? "th" : "td";
    const bold = more.style === "best" || more.style === "first";
    const attributes = { class: [this.align(column), bold ? "best" : "", changed ? "changed" : ""].join(" ").trim() };
    if (column === 0) attributes.scope = "row";
    if (more.style) attributes.title = STYLES[more.style];
    if (changed) attributes.title = `in the first run: ${before || "no value"}`;
    const shown = visible(text || "–");
    const parts = more.style ? [element(bold ? "strong" : "u", {}, shown)] : shown;
    const marks = (more.marks ?? []).map((mark) => element("sup", {}, MARKS[mark]));
    return element(tag, attributes, parts, more.suffix ? ` ${more.suffix}` : null, marks);
  }
}

function columnKey(data, column) {
  const [group, heading] = data.columns[column];
  return JSON.stringify([group, heading]);
}

/** What a row is about: its section and its cells of words. */
function rowKey(section, row, data) {
  const words = row.filter((_, column) => data.columns[column][2] === "l").map(cellText);
  return JSON.stringify([section.heading, ...words]);
}

function* rowsByKey(data) {
  for (const section of data.sections) {
    for (const row of section.rows) {
      const cells = row.map((cell, column) => [columnKey(data, column), cellText(cell)]);
      yield [rowKey(section, row, data), new Map(cells)];
    }
  }
}

/** The main figure of each run: the first one of its first benchmark that has figures. */
async function mainFigures(run, other) {
  const shown = [];
  for (const one of [run, other].filter(Boolean)) {
    const benchmark = one.about.benchmarks.find(({ figures }) => figures.length);
    if (!benchmark) continue;
    const figure = await figurePart(one, other ? `${one.name}: ${benchmark.title}` : benchmark.title, benchmark.figures[0]);
    figure.classList.add("main-figure");
    shown.push(figure);
  }
  return shown;
}

/** The findings, the main figure and all tables, of which the first is open; another run's tables stand below the same of this one. */
async function showTables(section, run, other) {
  const groups = await run.value("tables");
  const others = other ? new Map((await other.value("tables")).flatMap(({ tables }) => tables.map((table) => [table.name, table]))) : new Map();
  const views = [];
  const which = select("Benchmark", [["", "all"], ...groups.map(({ title }) => [title, title])]);
  const find = element("input", { type: "search", placeholder: "model, task, …" });
  const printed = element("input", { type: "checkbox" });
  printed.checked = run.about.published;
  const filter = () => ({ text: find.value, printed: printed.checked });
  const shown = groups.map(({ title, tables }, group) => {
    const blocks = tables.map((table, number) => {
      const details = element("details", { open: group === 0 && number === 0, "data-table": table.name }, element("summary", {}, visible(table.caption)));
      const open = () => {
        if (!details.open || details.childElementCount > 1) return;
        const beside = others.get(table.name);
        const made = beside ? [[run, new TableView(table)], [other, new TableView(beside, table)]] : [[run, new TableView(table)]];
        for (const [of, view] of made) {
          view.show(filter());
          views.push(view);
          if (other) details.append(element("h3", {}, visible(of.name)));
          details.append(view.node);
        }
        if (other && !beside) details.append(element("p", {}, visible(`${other.name} has no such table.`)));
      };
      details.addEventListener("toggle", open);
      open();
      return details;
    });
    return element("div", { "data-group": title }, element("h2", {}, visible(title)), blocks);
  });
  const apply = () => {
    shown.forEach((node) => { node.hidden = which.node.value !== "" && node.dataset.group !== which.node.value; });
    views.forEach((view) => view.show(filter()));
  };
  const all = (open) => () => shown.forEach((node) => node.hidden || node.querySelectorAll("details").forEach((details) => setOpen(details, open)));
  const form = element("form", { class: "filters", role: "search", oninput: apply, onsubmit: (event) => event.preventDefault() },
    which.field, field("Rows with", find, true), field("numbers printed in the papers", printed),
    element("button", { type: "button", onclick: all(true) }, "Open all"), element("button", { type: "button", onclick: all(false) }, "Close all"));
  const key = element("p", { class: "key" }, element("strong", { class: "best" }, "Bold"),
    ": models that cannot be ruled out as best in the column (paired test, 95 %), unless the caption says otherwise. Below a value: its 95 % interval. A heading sorts its column; rows stay in their section.");
  const findings = [run, other].filter(Boolean).map(({ name, about }) => element("ul", { class: "findings", "aria-label": `Findings of ${name}` },
    about.findings.map((sentence) => element("li", {}, visible(other ? `${name}: ${sentence}` : sentence)))));
  section.replaceChildren(...findings, ...(await mainFigures(run, other)), form, key, ...shown);
}
