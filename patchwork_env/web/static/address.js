// The game in the page's address: its id, and the whole game packed, so that it outlives the server.

async function through(stream, bytes) {
  const answer = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await answer.arrayBuffer());
}

export async function pack(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpack(packed) {
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

export function read() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function write(fields) {
  history.replaceState(null, "", `#${new URLSearchParams(fields)}`);
}

// A link to the same start: edition, seed and seats.
export function startLink(state) {
  const fields = { start: state.edition, seed: state.seed, seats: state.seats.join("|"), practice: state.practice ? 1 : 0 };
  return `${location.origin}/#${new URLSearchParams(fields)}`;
}
