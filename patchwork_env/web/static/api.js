// Talking to the server. Every refusal becomes an Error with the server's own words.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
  let body = null;
  try {
    body = await answer.json();
  } catch {
    body = null;
  }
  if (!answer.ok) throw new Refused(answer.status, body?.error ?? `The server answered ${answer.status}.`);
  return body;
}

const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const options = () => ask("/api/options");
export const newGame = (setup) => post("/api/games", setup);
export const game = (id) => ask(`/api/games/${encodeURIComponent(id)}`);
export const change = (id, version) => ask(`/api/games/${encodeURIComponent(id)}?after=${version}`);
export const move = (id, action, decisions) => post(`/api/games/${encodeURIComponent(id)}/move`, { action, decisions });
export const why = (id, action) => ask(`/api/games/${encodeURIComponent(id)}/why?action=${action}`);
export const undo = (id) => post(`/api/games/${encodeURIComponent(id)}/undo`);
export const step = (id) => post(`/api/games/${encodeURIComponent(id)}/step`);
export const analysis = (id, agent) =>
  ask(`/api/games/${encodeURIComponent(id)}/analysis?agent=${encodeURIComponent(agent)}`);
export const replay = (notation) => post("/api/replay", { notation });
export const graph = (notation) => post("/api/replay/graph", { notation });

const editions = new Map();
export async function edition(name) {
  if (!editions.has(name)) editions.set(name, await ask(`/api/editions/${encodeURIComponent(name)}`));
  return editions.get(name);
}
