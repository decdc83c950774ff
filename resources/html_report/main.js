const SECTIONS = { tables: showTables, figures: showFigures, samples: showSamples, run: showRun };

/** This HTML report, with another run to compare with where one was chosen. */
class Page {
  constructor(run) {
    this.run = run;
    this.other = null;
    this.drawn = new Set();
    this.closed = [];
  }

  /** Shows the section that the address names, drawn when it is first shown. */
  async show() {
    const named = location.hash.slice(1).split("/")[0];
    const name = named in SECTIONS ? named : "tables";
    for (const id of Object.keys(SECTIONS)) {
      document.getElementById(id).hidden = id !== name;
      const link = document.querySelector(`nav a[href="#${id}"]`);
      if (id === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (!this.drawn.has(name)) {
      this.drawn.add(name);
      await SECTIONS[name](document.getElementById(name), this.run, this.other);
    }
  }

  /** Opens what is closed in the section that is shown, for paper alone. */
  print(begins) {
    if (begins) this.closed = [...document.querySelectorAll("section:not([hidden]) details:not([open])")];
    for (const details of this.closed) setOpen(details, begins);
  }

  /** Compares with another run, or with none. */
  async beside(other) {
    this.other = other;
    this.drawn.clear();
    document.getElementById("alone").hidden = !other;
    await this.show();
  }
}

/** The run in a file that was chosen; where both have one name, their files distinguish them. */
async function opened(file, run) {
  const other = await Run.of(file.name, Run.within(await file.text()));
  if (other.name === run.name) other.name = `${other.name} (${file.name})`;
  if (other.about.format !== run.about.format) {
    throw new Error(`${file.name} was made by another version of steadfast; remake both HTML reports with the same version.`);
  }
  return other;
}

async function main() {
  const message = document.getElementById("message");
  const page = new Page(await Run.of("this report", Run.here()));
  document.getElementById("name").replaceChildren(...visible(page.run.about.name ?? ""));
  const trial = document.getElementById("trial");
  trial.replaceChildren(...visible(page.run.about.trial));
  trial.hidden = !page.run.about.trial;
  const file = document.getElementById("other");
  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    try {
      await page.beside(await opened(file.files[0], page.run));
      message.textContent = `${page.run.name} compared with ${page.other.name}.`;
    } catch (error) {
      message.textContent = error.message;
    }
  });
  document.getElementById("alone").addEventListener("click", async () => {
    file.value = "";
    message.textContent = "";
    await page.beside(null);
  });
  addEventListener("beforeprint", () => page.print(true));
  addEventListener("afterprint", () => page.print(false));
  addEventListener("hashchange", () => page.show());
  await page.show();
}

main();
