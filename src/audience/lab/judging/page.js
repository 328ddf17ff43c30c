
"use strict";
(function () {
  const sheet = JSON.parse(document.getElementById("sheet").textContent);
  const tasks = sheet.tasks;
  const store = "audience-judging-" + sheet.id;
  const at = (id) => document.getElementById(id);
  const fresh = () => ({ judge: "", place: 0, answers: {}, unsaved: false });
  let draft = fresh();

  const ASKED = {
    T1: ["Write a summary", "Put what happened into one sentence, as this person would remember it: at most 20 words, in the first person. Keep names, titles and feelings; leave out what does not matter to this person."],
    T2: ["Write an insight", "These moments resemble each other. What has this person understood from them? One sentence, at most 20 words, in the first person."],
    T3: ["Write a reflection", "Looking back on these memories: what does this person conclude? One sentence, at most 20 words, in the first person."],
  };
  const WEIGHED = {
    T1: "Two summaries of the same event. Which serves this person's memory better?",
    T2: "Two insights drawn from the same moments. Which is the better one?",
    T3: "Two reflections on the same memories. Which is the better one?",
    sequence: "Two ways on from the same past. Which fits better what this person went for before?",
  };
  const FROM = { T1: "What happened", T2: "What was met again and again", T3: "The memories", sequence: "What went before, newest first" };
  const VERDICTS = ["The first is much better", "The first is a little better", "Both are equally good", "The second is a little better", "The second is much better"];
  const SCORES = ["1: not at all", "2: hardly", "3: partly", "4: mostly", "5: fully"];

  function make(tag, attributes, ...inside) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...inside.filter((one) => one !== ""));
    return made;
  }
  const lines = (texts, tag) => make(tag || "ul", { class: "lines" }, ...texts.map((text) => make("li", {}, text)));

  function named(item) {
    const tags = item.tags && item.tags.length ? make("span", { class: "tags" }, item.tags.join(", ")) : "";
    const year = item.year ? " (" + item.year + ")" : "";
    return [item.title + year, tags];
  }

  function past(item) {
    const stars = item.stars ? make("span", { class: "stars" }, item.stars + " of 5 stars") : "";
    return make("li", {}, stars, ...named(item));
  }

  function option(kind, name, value, checked, ...label) {
    const input = make("input", { type: kind, name: name, value: value, checked: checked });
    input.checked = checked;
    return make("label", { class: "option" }, input, make("span", {}, ...label));
  }

  function say(text) { at("status").textContent = text; }

  function isAnswered(task) {
    const given = draft.answers[task.id];
    if (!given) return false;
    if (task.type === "choose") return given.chosen.length === task.choose;
    if (task.type === "write") return given.text.trim() !== "";
    if (task.type === "score") return Boolean(given.informative && given.relevant);
    return Boolean(given.verdict);
  }
  const answered = () => tasks.filter(isAnswered);

  function keep() {
    try {
      localStorage.setItem(store, JSON.stringify(draft));
      return true;
    } catch (error) { return false; }
  }

  function give(task, answer) {
    draft.answers[task.id] = Object.assign({}, draft.answers[task.id], answer);
    draft.unsaved = true;
    say(keep() ? "Kept as a draft in this browser." : "This browser keeps no draft here: save your answers before you leave.");
    count();
  }

  function count() {
    const done = answered().length;
    at("count").textContent = done + " of " + tasks.length + " answered";
    at("progress").max = tasks.length;
    at("progress").value = done;
    for (const one of at("jump").options) {
      const task = tasks[one.value - 1];
      if (task) one.textContent = task.id.slice(1) + " of " + tasks.length + (isAnswered(task) ? " ✓" : "");
    }
  }

  function start(work) {
    const code = make("input", { type: "text", id: "judge", autocomplete: "off", maxlength: 40, "aria-describedby": "why" });
    code.value = draft.judge;
    code.addEventListener("input", () => { draft.judge = code.value; draft.unsaved = true; keep(); });
    const file = make("input", { type: "file", id: "earlier", accept: ".json,application/json" });
    file.addEventListener("change", () => load(file.files[0]));
    work.append(
      make("h2", { tabindex: -1 }, "Welcome"),
      make("p", {}, "There are " + tasks.length + " short tasks. Some are about people who use a service that recommends " + sheet.plural + ", some about texts. There is no trick: answer as you see it. Do not look anything up, and do not talk about a task with others before you have finished."),
      make("p", {}, "Your answers stay in this browser until you save them to a file. Nothing is sent anywhere. You can leave tasks out, change answers and come back later."),
      make("label", { class: "field", for: "judge" }, "Your name or a code"),
      code,
      make("p", { class: "muted", id: "why" }, "It tells judges apart; it need not be your name. Use the same one each time."),
      make("h3", {}, "By keyboard"),
      make("p", {}, make("kbd", {}, "Tab"), " and the arrow keys move, ", make("kbd", {}, "Space"), " chooses, ", make("kbd", {}, "Ctrl"), "+", make("kbd", {}, "Enter"), " goes on to the next task."),
      make("label", { class: "field", for: "earlier" }, "Go on from a saved file"),
      file,
    );
  }

  function finish(work) {
    const left = tasks.filter((task) => !isAnswered(task));
    const save = make("button", { type: "button", class: "main" }, "Save answers");
    save.addEventListener("click", saved);
    const some = left.slice(0, 12).map((task) => task.id.slice(1)).join(", ") + (left.length > 12 ? ", …" : "");
    work.append(
      make("h2", { tabindex: -1 }, left.length ? "Almost there" : "All done"),
      make("p", {}, left.length ? left.length + (left.length === 1 ? " task is" : " tasks are") + " without an answer: " + some + ". You can save all the same." : "Every task has an answer. Thank you."),
      make("p", {}, "Save your answers and give the file to whoever asked you."),
      save,
    );
  }

  function choose(task, work) {
    const given = draft.answers[task.id] || { chosen: [] };
    const one = task.choose === 1;
    const note = make("p", { class: "note", role: "status" });
    const tell = (chosen) => {
      note.textContent = one ? "" : chosen.length + " of " + task.choose + " chosen" + (chosen.length > task.choose ? ": take " + (chosen.length - task.choose) + " back" : "");
      note.className = "note" + (chosen.length > task.choose ? " bad" : chosen.length === task.choose ? " good" : "");
    };
    const list = make("fieldset", {}, make("legend", {}, one ? "Choose one" : "Choose " + task.choose),
      ...task.candidates.map((item, place) => option(one ? "radio" : "checkbox", "chosen", place, given.chosen.includes(place), ...named(item))), note);
    list.addEventListener("change", () => {
      const chosen = [...list.querySelectorAll("input:checked")].map((input) => Number(input.value));
      give(task, { chosen: chosen });
      tell(chosen);
    });
    tell(given.chosen);
    const more = task.earlier ? " and " + task.earlier + " more before" : "";
    work.append(
      make("p", { class: "kind" }, "A choice"),
      make("h2", { tabindex: -1 }, one ? "Which of these did this person go on to?" : "Which " + task.choose + " of these did this person go on to?"),
      make("p", {}, "Judge by what the person went for before. Exactly " + task.choose + " of the " + task.candidates.length + " came next."),
      make("div", { class: "split" },
        make("div", {},
          make("h3", { id: "before" }, "Before, newest first"),
          make("p", { class: "muted" }, task.history.length + " shown" + more + (task.tastes ? "; " + task.tastes : "")),
          make("div", { class: "box history", tabindex: 0, role: "region", "aria-labelledby": "before" }, make("ol", { class: "items" }, ...task.history.map(past)))),
        list));
  }

  function write(task, work) {
    const given = draft.answers[task.id] || { text: "" };
    const field = make("textarea", { id: "text", maxlength: 600, "aria-describedby": "asked" });
    field.value = given.text;
    field.addEventListener("input", () => give(task, { text: field.value }));
    work.append(
      make("p", { class: "kind" }, "A text of yours"),
      make("h2", { tabindex: -1 }, ASKED[task.what][0]),
      make("p", { id: "asked" }, ASKED[task.what][1]),
      make("h3", {}, "The person"), make("p", {}, task.person),
      make("h3", {}, FROM[task.what]), make("div", { class: "box" }, lines(task.lines)),
      make("label", { class: "field", for: "text" }, "Your sentence"), field);
  }

  function pair(task, work) {
    const given = draft.answers[task.id] || {};
    const list = make("fieldset", {}, make("legend", {}, "Your judgement"),
      ...VERDICTS.map((text, place) => option("radio", "verdict", place + 1, given.verdict === place + 1, text)));
    list.addEventListener("change", (event) => give(task, { verdict: Number(event.target.value) }));
    const sides = [["The first", task.first], ["The second", task.second]].map(([name, texts]) =>
      make("section", { class: "box" }, make("h3", {}, name), texts.length === 1 ? make("p", {}, texts[0]) : lines(texts, "ol")));
    work.append(
      make("p", { class: "kind" }, "A comparison"),
      make("h2", { tabindex: -1 }, WEIGHED[task.about]),
      task.person ? make("p", {}, task.person) : "",
      make("h3", {}, FROM[task.about]), make("div", { class: "box" }, lines(task.lines)),
      make("h3", {}, "Compare"), make("div", { class: "pair" }, ...sides), list);
  }

  function score(task, work) {
    const given = draft.answers[task.id] || {};
    const scale = (name, text) => {
      const list = make("fieldset", {}, make("legend", {}, text),
        make("div", { class: "scale" }, ...SCORES.map((label, place) => option("radio", name, place + 1, given[name] === place + 1, label))));
      list.addEventListener("change", (event) => give(task, { [name]: Number(event.target.value) }));
      return list;
    };
    const memories = task.memories.length ? lines(task.memories) : make("p", {}, "Nothing came to mind.");
    work.append(
      make("p", { class: "kind" }, "What comes to mind"),
      make("h2", { tabindex: -1 }, "How good are these memories for the moment?"),
      make("h3", {}, "The person"), make("p", {}, task.person),
      make("h3", {}, "The moment"), make("div", { class: "box" }, make("p", {}, task.behaviour[0]), task.behaviour.length > 1 ? lines(task.behaviour.slice(1)) : ""),
      make("h3", {}, "What came to mind"), make("div", { class: "box" }, memories),
      scale("informative", "For this moment, are the memories informative?"),
      scale("relevant", "For this moment, are the memories relevant?"));
  }

  const SHOW = { choose: choose, write: write, pair: pair, score: score };

  function show(place, focus) {
    draft.place = Math.max(0, Math.min(place, tasks.length + 1));
    keep();
    const work = at("work");
    work.replaceChildren();
    const task = tasks[draft.place - 1];
    if (!draft.place) start(work);
    else if (task) SHOW[task.type](task, work);
    else finish(work);
    work.replaceChildren(...[...work.childNodes].filter((node) => node.nodeType === 1));
    at("back").disabled = draft.place === 0;
    at("next").disabled = draft.place === tasks.length + 1;
    at("next").textContent = draft.place ? "Next" : "Begin";
    at("jump").value = draft.place;
    say("");
    if (focus) {
      scrollTo(0, 0);
      work.querySelector("h2").focus({ preventScroll: true });
    }
  }

  function saved() {
    const judge = draft.judge.trim();
    if (!judge) {
      show(0, false);
      at("judge").focus();
      say("Give a name or a code first: it tells judges apart.");
      return;
    }
    const given = {};
    for (const task of answered()) given[task.id] = draft.answers[task.id];
    const file = { format: "audience-answers", version: 1, page: sheet.id, judge: judge, saved: new Date().toISOString(), answers: given };
    const link = make("a", { download: "answers-" + (judge.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "judge") + ".json" });
    link.href = URL.createObjectURL(new Blob([JSON.stringify(file, null, 1)], { type: "application/json" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    draft.unsaved = false;
    keep();
    say("Saved as " + link.download + " (" + Object.keys(given).length + " answers).");
  }

  async function load(file) {
    try {
      const found = JSON.parse(await file.text());
      if (found.format !== "audience-answers" || found.page !== sheet.id) throw new Error("other page");
      draft.judge = String(found.judge);
      Object.assign(draft.answers, found.answers);
      keep();
      count();
      show(0, false);
      say("Took over " + Object.keys(found.answers).length + " answers.");
    } catch (error) { say("That file holds no answers to this page."); }
  }

  function begin() {
    try {
      const kept = JSON.parse(localStorage.getItem(store) || "null");
      if (kept && kept.answers) draft = Object.assign(fresh(), kept);
    } catch (error) { draft = fresh(); }
    at("jump").append(make("option", { value: 0 }, "Welcome"),
      ...tasks.map((task, place) => make("option", { value: place + 1 }, task.id)),
      make("option", { value: tasks.length + 1 }, "End"));
    at("jump").addEventListener("change", (event) => show(Number(event.target.value), false));
    at("back").addEventListener("click", () => show(draft.place - 1, true));
    at("next").addEventListener("click", () => show(draft.place + 1, true));
    at("save").addEventListener("click", saved);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); show(draft.place + 1, true); }
    });
    addEventListener("beforeunload", (event) => { if (draft.unsaved && answered().length && !keep()) event.preventDefault(); });
    count();
    show(draft.place, false);
  }
  begin();
})();
