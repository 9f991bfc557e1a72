// The page: which game is shown, and what its buttons do.

import * as address from "./address.js";
import * as api from "./api.js";
import { defineCloth, hintShape, html, usePalette } from "./draw.js";
import { Hand } from "./hand.js";
import { Replay } from "./replay.js";
import { cellName, say, showLog, showPosition, showSummary } from "./view.js";

const byId = (id) => document.getElementById(id);

let options = null;
let edition = null;
let state = null; // the game as the server last told it; null while a replay is shown
let replayed = null; // {recorded, notation} while a replay is shown
let quilts = [];
let watching = null; // timer of a match between agents
let busy = false;

const hand = new Hand(playMove, takeBack);
const replay = new Replay(showFrame);

// --- a game ------------------------------------------------------------------------------------------------------

async function useEdition(name) {
  const next = await api.edition(name);
  if (next !== edition) {
    edition = next;
    usePalette(edition.palette);
    defineCloth(edition);
  }
  byId("title").textContent = edition.title;
  document.querySelectorAll(".currency").forEach((word) => { word.textContent = edition.currency[0]; });
}

const isWatch = (game) => !game.seats.includes("human");
const leftOf = (game) => Math.max(0, game.seats.indexOf("human"));

async function show(next) {
  const before = state;
  await useEdition(next.edition);
  state = next;
  replayed = null;
  byId("game").hidden = false;
  byId("replay-controls").hidden = true;
  byId("watch-controls").hidden = !isWatch(state);
  byId("analysis-box").hidden = false;
  byId("download").hidden = byId("share").hidden = false;
  quilts = showPosition(edition, state.position, state.names, leftOf(state));
  hand.update(edition, state, state.your_turn ? quilts[state.position.to_play] : null);
  showLog(state.log);
  byId("status").textContent = statusText();
  byId("notice").textContent = state.failure;
  document.title = state.your_turn ? "Your turn - Patchwork" : "Patchwork";
  const fresh = before?.id === state.id ? state.log.slice(before.log.length) : [];
  const others = fresh.filter((line) => state.seats[line.player] !== "human");
  if (others.length) say(`${others.map((line) => line.text).join("; ")}. ${statusText()}`);
  if (state.summary && before?.id === state.id && !before.summary) openSummary(state.summary, state.names, state.position.winner);
  await keepInAddress(state);
  showAnalysis();
  if (state.thinking) follow(state);
}

function statusText() {
  const { position } = state;
  if (position.done) return position.headline;
  if (state.thinking) return `${state.names[position.to_play]} is thinking ...`;
  if (!state.your_turn) return position.headline;
  const whose = state.names[position.to_play] === "you" ? "Your turn" : `${state.names[position.to_play]}, it is your turn`;
  return position.special_pending ? `${whose}: place the special patch on your quilt` : `${whose}: buy a patch, or advance`;
}

async function keepInAddress(shown) {
  const packed = await address.pack(shown.notation);
  if (state !== shown) return; // the game has gone on meanwhile
  address.write({ id: shown.id, seats: shown.seats.join("|"), practice: shown.practice ? 1 : 0, game: packed });
}

// Waits for the agent's move without asking again and again.
async function follow(thinking) {
  try {
    const next = await api.change(thinking.id, thinking.version);
    if (state?.id === thinking.id && next.version >= state.version) await show(next);
  } catch (error) {
    notice(error);
  }
}

function notice(error) {
  byId("notice").textContent = error.message;
}

// One request at a time; a refusal is shown in the server's words and changes nothing.
async function attempt(request) {
  if (busy) return;
  busy = true;
  try {
    await show(await request());
  } catch (error) {
    notice(error);
    if (error.status === 404) await revive();
    else if (error.status === 409 && state) await api.game(state.id).then(show, notice).then(() => notice(error));
  } finally {
    busy = false;
  }
}

async function playMove(action) {
  if (!state.legal.includes(action)) {
    const { reason } = await api.why(state.id, action);
    byId("notice").textContent = reason ? `Not possible: ${reason}.` : "";
    return undefined;
  }
  return attempt(() => api.move(state.id, action, state.position.decisions));
}

function takeBack() {
  return attempt(() => api.undo(state.id));
}

// The server has forgotten the game (it was restarted, or the game expired): set it up again from its notation.
async function revive() {
  try {
    await show(await api.newGame({ seats: state.seats, practice: state.practice, notation: state.notation }));
    byId("notice").textContent = "The server had forgotten this game; it was set up again where you were.";
  } catch (error) {
    notice(error);
  }
}

// --- watching ----------------------------------------------------------------------------------------------------

function stopWatching() {
  clearTimeout(watching);
  watching = null;
  byId("watch-play").textContent = "Play";
}

async function watchOn() {
  const id = state?.id;
  await attempt(() => api.step(state.id));
  if (watching === null) return;
  if (state?.id !== id || state.position.done || state.failure) stopWatching();
  else watching = setTimeout(watchOn, 2000 - Number(byId("watch-pace").value));
}

byId("watch-play").addEventListener("click", () => {
  if (watching !== null) { stopWatching(); return; }
  byId("watch-play").textContent = "Pause";
  watching = setTimeout(watchOn, 0);
});
byId("watch-step").addEventListener("click", () => { stopWatching(); attempt(() => api.step(state.id)); });

// --- analysis ----------------------------------------------------------------------------------------------------

async function showAnalysis() {
  const box = byId("analysis");
  const shown = state;
  box.hidden = !byId("analysis-on").checked;
  quilts.forEach((quilt) => quilt.querySelector(".hints").replaceChildren());
  if (box.hidden || !shown || shown.thinking) return;
  const adviser = shown.seats.find((seat) => seat !== "human") ?? "greedy";
  try {
    const found = await api.analysis(shown.id, adviser);
    if (state !== shown) return;
    const mover = shown.position.to_play;
    const share = Math.round(found.player_0 * 100);
    const source = found.source === "agent" ? `as ${adviser} sees it` : "by quick playouts of both sides";
    box.replaceChildren(
      html("div", { class: "chance", role: "img", "aria-label": `Chance to win: ${shown.names[0]} ${share} percent, ${shown.names[1]} ${100 - share} percent` },
        chancePart(0, share, shown.names[0]), chancePart(1, 100 - share, shown.names[1])),
      html("p", { class: "small" }, `Chance to win, ${source}.`),
      html("ol", { class: "best" }, ...found.moves.map((move, number) => html("li", {},
        html("button", {
          type: "button",
          onmouseenter: () => hint(found.moves, mover, number),
          onfocus: () => hint(found.moves, mover, number),
          onmouseleave: () => hint(found.moves, mover, null),
          onblur: () => hint(found.moves, mover, null),
          onclick: () => shown.your_turn && playMove(move.action),
        }, html("span", {}, moveText(move)), html("strong", {}, `${Math.round(move.probability * 100)}%`))))));
    hint(found.moves, mover, null);
  } catch (error) {
    if (state === shown && error.status !== 409) notice(error);
  }
}

function chancePart(player, percent, name) {
  const part = html("span", { class: `player-${player}` }, percent >= 12 ? `${name} ${percent}%` : "");
  part.style.flexGrow = Math.max(percent, 1);
  return part;
}

function moveText(move) {
  if (move.kind === "advance") return "advance";
  if (move.kind === "decline") return "decline the special patch";
  if (move.kind === "special") return `special patch at ${cellName(...move.cells[0])}`;
  return `patch ${move.patch} at ${cellName(...move.cells[0])}`;
}

// Draws the best placements as ghosts; with a number only that one.
function hint(moves, mover, only) {
  const layer = quilts[mover]?.querySelector(".hints");
  if (!layer) return;
  const drawn = moves.map((move, number) => [move, number]).filter(([move, number]) =>
    move.cells.length && (only === null ? number < 3 : number === only));
  layer.replaceChildren(...drawn.reverse().map(([move, number]) => hintShape(move.cells, number, String(number + 1))));
}

byId("analysis-on").addEventListener("change", showAnalysis);

// --- replays -----------------------------------------------------------------------------------------------------

async function openReplay(notation) {
  const recorded = await api.replay(notation);
  stopWatching();
  await useEdition(recorded.edition);
  state = null;
  replayed = { recorded, notation };
  byId("game").hidden = false;
  byId("watch-controls").hidden = byId("analysis-box").hidden = true;
  byId("replay-controls").hidden = false;
  byId("download").hidden = false;
  byId("share").hidden = true;
  address.write({ replay: await address.pack(notation) });
  replay.open(recorded, notation);
}

function showFrame(frame, number) {
  const { recorded } = replayed;
  quilts = showPosition(edition, frame, recorded.names, 0);
  hand.update(edition, { position: frame, legal: [], your_turn: false, practice: false }, null);
  showLog(recorded.frames.slice(1).map((each) => ({ player: each.last_player, text: each.last_move })), number);
  byId("status").textContent = frame.headline;
  byId("notice").textContent = "";
  document.title = "Replay - Patchwork";
}

byId("open-replay").addEventListener("click", () => {
  byId("load-error").textContent = "";
  byId("load").showModal();
});
byId("load-cancel").addEventListener("click", () => byId("load").close());
byId("load-file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) byId("load-text").value = await file.text();
});
byId("load-form").addEventListener("submit", (event) => {
  event.preventDefault();
  load(openReplay);
});
byId("load-continue").addEventListener("click", () => load(async (notation) => {
  const seats = /^players: (.+), (.+)$/m.exec(notation)?.slice(1).map((name) => name.trim()) ?? [];
  const known = (seat) => seat === "human" || options.agents.includes(seat.split(":")[0]);
  const wanted = seats.length === 2 && seats.every(known) && seats.includes("human") ? seats : ["human", options.defaults.opponent ?? "greedy"];
  await show(await api.newGame({ seats: wanted, practice: true, notation }));
}));

async function load(open) {
  try {
    await open(byId("load-text").value);
    byId("load").close();
  } catch (error) {
    byId("load-error").textContent = error.message;
  }
}

// --- dialogs -----------------------------------------------------------------------------------------------------

function fillSetup() {
  const form = byId("setup-form");
  form.edition.replaceChildren(...options.editions.map(({ name, title }) => html("option", { value: name }, title)));
  form.edition.value = options.defaults.edition ?? "revised";
  form.opponent.value = options.defaults.opponent ?? "greedy";
  form.second.value = "random";
  byId("agents").replaceChildren(...options.agents.map((name) => html("option", { value: name })));
  const showMode = () => {
    const mode = form.mode.value;
    form.querySelectorAll("[class*='for-']").forEach((element) => { element.hidden = !element.classList.contains(`for-${mode}`); });
    form.querySelector(".agent-label").textContent = mode === "watch" ? "First agent" : "Opponent";
  };
  form.addEventListener("change", showMode);
  form.edition.addEventListener("change", showProvenance);
  showMode();
  showProvenance();
}

async function showProvenance() {
  byId("provenance").textContent = (await api.edition(byId("setup-form").edition.value)).provenance;
}

function readSetup() {
  const form = byId("setup-form");
  const mode = form.mode.value;
  const agent = form.opponent.value.trim();
  const seats = { play: form.seat.value === "0" ? ["human", agent] : [agent, "human"], watch: [agent, form.second.value.trim()], two: ["human", "human"] }[mode];
  const seed = form.seed.value.trim();
  return { edition: form.edition.value, seats, seed: seed ? Number(seed) : null, practice: mode !== "watch" && form.practice.checked };
}

byId("setup-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const next = await api.newGame(readSetup());
    byId("setup").close();
    stopWatching();
    replay.close();
    await show(next);
    byId("status").focus();
  } catch (error) {
    byId("setup-error").textContent = error.message;
  }
});
byId("setup-cancel").addEventListener("click", () => byId("setup").close());
byId("new-game").addEventListener("click", () => {
  byId("setup-error").textContent = "";
  byId("setup").showModal();
});
byId("help").addEventListener("click", () => byId("help-box").showModal());
byId("help-close").addEventListener("click", () => byId("help-box").close());

function openSummary(summary, names, winner) {
  stopWatching();
  showSummary(edition, summary, names, winner);
  byId("summary").showModal();
}
byId("summary-close").addEventListener("click", () => byId("summary").close());
byId("summary-new").addEventListener("click", () => { byId("summary").close(); byId("setup").showModal(); });
byId("summary-replay").addEventListener("click", async () => {
  byId("summary").close();
  await openReplay(state.notation).catch(notice);
});

byId("download").addEventListener("click", () => {
  const notation = state?.notation ?? replayed?.notation;
  const link = html("a", { href: URL.createObjectURL(new Blob([notation], { type: "text/plain" })), download: `patchwork-${edition.name}-${state?.seed ?? "replay"}.txt` });
  link.click();
  URL.revokeObjectURL(link.href);
});
byId("share").addEventListener("click", async () => {
  const link = address.startLink(state);
  try {
    await navigator.clipboard.writeText(link);
    byId("notice").textContent = `Copied a link to this start (seed ${state.seed}): ${link}`;
  } catch {
    byId("notice").textContent = `A link to this start (seed ${state.seed}): ${link}`;
  }
});

// --- beginning ---------------------------------------------------------------------------------------------------

async function openAddress() {
  const fields = address.read();
  const seats = (fields.seats ?? "human|greedy").split("|");
  const practice = fields.practice === "1";
  if (fields.replay) return openReplay(await address.unpack(fields.replay));
  if (fields.start) return show(await api.newGame({ edition: fields.start, seed: Number(fields.seed), seats, practice }));
  if (!fields.id) return false;
  try {
    return await show(await api.game(fields.id));
  } catch (error) {
    if (error.status !== 404 || !fields.game) throw error;
    return show(await api.newGame({ seats, practice, notation: await address.unpack(fields.game) }));
  }
}

async function begin() {
  options = await api.options();
  fillSetup();
  if ((await openAddress()) !== false) return;
  await useEdition(byId("setup-form").edition.value);
  byId("setup").showModal();
}

window.addEventListener("hashchange", () => openAddress().catch(notice));
begin().catch((error) => {
  byId("game").hidden = false;
  notice(error);
  if (options) byId("setup").showModal();
});
