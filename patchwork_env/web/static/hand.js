// The patch in a person's hand: taking it up, turning it, moving it over the quilt and placing it.

import { CELL, ghostShape, html, patchPicture, svg } from "./draw.js";
import { cellName, patchLabel, patchNumbers, plural, say } from "./view.js";

const byId = (id) => document.getElementById(id);
const SPECIAL = "special";

const moved = (cells) => {
  const top = Math.min(...cells.map(([row]) => row));
  const left = Math.min(...cells.map(([, column]) => column));
  return cells.map(([row, column]) => [row - top, column - left]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
};
const same = (first, second) => JSON.stringify(first) === JSON.stringify(second);

export class Hand {
  // `play(action)` sends a move; `undo()` takes one back.
  constructor(play, undo) {
    this.play = play;
    this.undo = undo;
    this.slot = null; // 0 to 2, SPECIAL, or null
    this.orientation = 0;
    this.anchor = [0, 0];
    this.drag = null;
    this.remembered = new Map(); // patch -> orientation it was last turned to
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("pointermove", (event) => this.dragTo(event));
    window.addEventListener("pointerup", (event) => this.drop(event));
    window.addEventListener("pointercancel", () => { this.drag = null; this.draw(); });
  }

  // A new state: `state` from the server, `quilt` the mover's board; null where no person is to move.
  update(edition, state, quilt) {
    const before = this.state;
    this.edition = edition;
    this.state = state;
    this.quilt = quilt;
    this.active = Boolean(state?.your_turn && quilt);
    this.legal = new Set(state?.legal ?? []);
    if (!this.active) this.slot = null;
    else if (state.position.special_pending) this.take(SPECIAL, false);
    else if (this.slot === SPECIAL || before?.position.decisions !== state.position.decisions) this.slot = null;
    if (this.active) this.watch(quilt);
    this.showOffers();
    this.showControls();
    this.draw();
  }

  get patch() {
    return this.slot === null || this.slot === SPECIAL ? null : this.state.position.circle[this.slot];
  }

  get shape() {
    if (this.slot === null) return null;
    return this.slot === SPECIAL ? [[0, 0]] : this.edition.patches[this.patch].orientations[this.orientation];
  }

  get action() {
    const { rows, columns } = this.edition;
    const cell = this.anchor[0] * columns + this.anchor[1];
    if (this.slot === SPECIAL) return 1 + cell;
    return 1 + rows * columns * (1 + this.slot * 8 + this.orientation) + cell;
  }

  get cells() {
    return this.shape.map(([row, column]) => [row + this.anchor[0], column + this.anchor[1]]);
  }

  // --- changing what is in the hand

  take(slot, speak = true) {
    if (!this.active) return;
    if (slot !== SPECIAL && (this.state.position.special_pending || slot >= Math.min(3, this.state.position.circle.length))) return;
    if (slot === this.slot && slot !== SPECIAL) slot = null;
    this.slot = slot;
    if (slot !== null && slot !== SPECIAL) this.orientation = this.remembered.get(this.patch) ?? 0;
    if (slot !== null) {
      if (!this.places().length) this.otherOrientation();
      this.firstPlace();
      if (speak) say(`${slot === SPECIAL ? "special patch" : patchLabel(this.edition, this.patch)}; ${this.whereText()}`);
    }
    this.showOffers();
    this.showControls();
    this.draw();
  }

  otherOrientation() {
    if (this.slot === SPECIAL) return;
    const count = this.edition.patches[this.patch].orientations.length;
    for (let turn = 0; turn < count; turn++) {
      this.orientation = turn;
      if (this.places().length) return;
    }
    this.orientation = 0;
  }

  // The legal places of the patch as it is turned now.
  places() {
    const { rows, columns } = this.edition;
    const found = [];
    const keep = this.anchor;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        this.anchor = [row, column];
        if (this.legal.has(this.action)) found.push([row, column]);
      }
    }
    this.anchor = keep;
    return found;
  }

  firstPlace() {
    const places = this.places();
    this.clamp();
    if (places.length && !this.legal.has(this.action)) this.anchor = places[0];
    this.clamp();
  }

  nextPlace() {
    const places = this.places();
    if (!places.length) return;
    const index = places.findIndex(([row, column]) => row > this.anchor[0] || (row === this.anchor[0] && column > this.anchor[1]));
    this.moveTo(places[Math.max(index, 0)], true);
  }

  turn(change) {
    if (this.slot === null || this.slot === SPECIAL) return;
    const shapes = this.edition.patches[this.patch].orientations;
    const turned = moved(change(shapes[this.orientation]));
    const middle = this.middle();
    this.orientation = shapes.findIndex((shape) => same(moved(shape), turned));
    this.remembered.set(this.patch, this.orientation);
    const after = this.middle();
    this.anchor = [this.anchor[0] + middle[0] - after[0], this.anchor[1] + middle[1] - after[1]];
    this.clamp();
    say(`${turned.length} cells, ${this.whereText()}`);
    this.showOffers();
    this.showControls();
    this.draw();
  }

  rotate() { this.turn((cells) => cells.map(([row, column]) => [column, -row])); }
  flip() { this.turn((cells) => cells.map(([row, column]) => [row, -column])); }

  extent() {
    return [Math.max(...this.shape.map(([row]) => row)) + 1, Math.max(...this.shape.map(([, column]) => column)) + 1];
  }

  middle() {
    const [height, width] = this.extent();
    return [Math.floor((height - 1) / 2), Math.floor((width - 1) / 2)];
  }

  clamp() {
    const [height, width] = this.extent();
    this.anchor = [
      Math.max(0, Math.min(this.edition.rows - height, this.anchor[0])),
      Math.max(0, Math.min(this.edition.columns - width, this.anchor[1])),
    ];
  }

  moveTo(anchor, speak = false) {
    if (this.slot === null) return;
    const before = this.anchor.join();
    this.anchor = anchor;
    this.clamp();
    if (before === this.anchor.join()) return;
    if (speak) say(this.whereText());
    this.showControls();
    this.draw();
  }

  whereText() {
    return `at ${cellName(...this.cells[0])}, ${this.legal.has(this.action) ? "fits" : "does not fit"}`;
  }

  place() {
    if (this.slot === null) return;
    this.play(this.action);
  }

  // --- pointer

  watch(quilt) {
    quilt.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" || event.buttons) this.point(event);
    });
    quilt.addEventListener("pointerdown", (event) => {
      if (this.slot === null || event.button !== 0) return;
      const before = this.anchor.join();
      this.point(event);
      // A finger covers what it points at: its first touch moves the patch, a second one on the same place lays it.
      this.pressed = event.pointerType === "mouse" || before === this.anchor.join();
    });
    quilt.addEventListener("click", () => {
      if (this.slot === null) {
        byId("notice").textContent = "Choose a patch first: click one of the three on offer, or press 1, 2 or 3.";
      } else if (this.pressed) this.place();
    });
    quilt.addEventListener("wheel", (event) => {
      if (this.slot === null || this.slot === SPECIAL) return;
      event.preventDefault();
      const now = performance.now();
      if (now - (this.wheeled ?? 0) < 120) return; // a touchpad sends dozens
      this.wheeled = now;
      if (event.shiftKey) this.flip();
      else this.rotate();
    }, { passive: false });
  }

  point(event) {
    if (this.slot === null || !this.active) return;
    const cell = this.cellAt(event);
    if (!cell) return;
    const middle = this.middle();
    this.moveTo([cell[0] - middle[0], cell[1] - middle[1]]);
  }

  cellAt(event) {
    const box = this.quilt.getBoundingClientRect();
    const scale = (this.edition.columns * CELL + 6) / box.width;
    const column = Math.floor(((event.clientX - box.left) * scale - 3) / CELL);
    const row = Math.floor(((event.clientY - box.top) * scale - 3) / CELL);
    const inside = row >= 0 && column >= 0 && row < this.edition.rows && column < this.edition.columns;
    return inside ? [row, column] : null;
  }

  startDrag(slot, event) {
    if (!this.active || event.button !== 0) return;
    this.drag = { slot, x: event.clientX, y: event.clientY, begun: false };
  }

  dragTo(event) {
    if (!this.drag) return;
    if (!this.drag.begun) {
      if (Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) < 8) return;
      this.drag.begun = true;
      if (this.slot !== this.drag.slot) this.take(this.drag.slot, false);
    }
    event.preventDefault();
    this.point(event);
  }

  drop(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag?.begun) return;
    this.dropped = performance.now(); // the click that follows is no choice of the card
    if (this.slot !== null && this.cellAt(event)) this.place();
  }

  // --- keys

  key(event) {
    if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog[open]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.active) return;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const commands = {
      1: () => this.take(0),
      2: () => this.take(1),
      3: () => this.take(2),
      r: () => this.rotate(),
      f: () => this.flip(),
      n: () => this.nextPlace(),
      a: () => !this.state.position.special_pending && this.play(0),
      d: () => this.edition.may_decline && this.state.position.special_pending && this.play(this.edition.num_actions - 1),
      u: () => this.state.can_undo && this.undo(),
      Escape: () => this.slot !== SPECIAL && this.slot !== null && this.take(this.slot),
    };
    if (key in steps && this.slot !== null) {
      event.preventDefault();
      this.moveTo([this.anchor[0] + steps[key][0], this.anchor[1] + steps[key][1]], true);
    } else if (key === "Enter" || key === " ") {
      const own = event.target.closest("button, summary, a") || (key === " " && event.target.closest("input"));
      if (this.slot === null || own) return; // the focused element has a use for the key itself
      event.preventDefault();
      this.place();
    } else if (key in commands) {
      event.preventDefault();
      commands[key]();
    }
  }

  // --- drawing

  draw() {
    if (!this.quilt) return;
    const ghosts = this.quilt.querySelector(".ghosts");
    const places = this.quilt.querySelector(".places");
    ghosts.replaceChildren();
    places.replaceChildren();
    this.quilt.classList.toggle("holding", this.active && this.slot !== null);
    if (!this.active || this.slot === null) return;
    const covered = new Set();
    for (const [row, column] of this.places()) {
      for (const [r, c] of this.shape) covered.add(`${row + r},${column + c}`);
    }
    for (const key of covered) {
      const [row, column] = key.split(",").map(Number);
      places.append(svg("rect", { x: column * CELL + 2, y: row * CELL + 2, width: CELL - 4, height: CELL - 4, rx: 5, class: "place" }));
    }
    ghosts.append(ghostShape(this.edition, this.cells, this.patch, this.legal.has(this.action)));
  }

  showOffers() {
    const box = byId("offers");
    if (!this.state) return;
    const { position } = this.state;
    const focused = box.contains(document.activeElement) ? document.activeElement.dataset.slot : null;
    box.replaceChildren(...[0, 1, 2].map((slot) => {
      const patch = position.circle[slot];
      if (patch === undefined) return html("div", { class: "offer none" }, "none left");
      const offer = position.offers[slot];
      const why = position.done || position.special_pending ? "" : !offer.fits ? "no room" : !offer.affordable ? "too dear" : "";
      const turn = this.slot === slot ? this.orientation : this.remembered.get(patch) ?? 0;
      const button = html("button", {
        type: "button",
        class: `offer${this.slot === slot ? " taken" : ""}${why ? " cannot" : ""}`,
        "data-slot": slot,
        "aria-pressed": String(this.slot === slot),
        "aria-label": `${slot + 1}: ${patchLabel(this.edition, patch)}${why ? `, ${why}` : ""}`,
        "aria-disabled": String(!this.active || position.special_pending),
        onclick: () => {
          if (performance.now() - (this.dropped ?? -1000) > 300) this.take(slot);
        },
        onpointerdown: (event) => this.startDrag(slot, event),
      },
      html("span", { class: "offer-head", "aria-hidden": "true" }, html("kbd", {}, String(slot + 1)), html("span", {}, why || `patch ${patch}`)),
      patchPicture(this.edition, patch, this.edition.patches[patch].orientations[turn]),
      patchNumbers(this.edition, patch));
      return button;
    }));
    if (focused !== null) box.querySelector(`[data-slot="${focused}"]`)?.focus();
  }

  showControls() {
    const box = byId("controls");
    const focused = box.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    const button = (name, text, action, options = {}) =>
      html("button", { type: "button", "data-name": name, onclick: action, ...options }, ...[text].flat());
    const shown = [];
    if (this.active) {
      const { advance, position } = this.state;
      if (advance) shown.push(button("advance", this.advanceText(advance), () => this.play(0), { class: "advance" }));
      if (this.slot !== null) {
        if (this.slot !== SPECIAL) {
          shown.push(button("rotate", "Rotate", () => this.rotate(), { title: "R" }), button("flip", "Flip", () => this.flip(), { title: "F" }));
        }
        const fits = this.legal.has(this.action);
        shown.push(button("place", fits ? `Place at ${cellName(...this.cells[0])}` : "Does not fit here", () => this.place(), { class: fits ? "primary" : "warn" }));
      }
      if (position.special_pending && this.edition.may_decline) {
        shown.push(button("decline", "Decline the special patch", () => this.play(this.edition.num_actions - 1)));
      }
    }
    if (this.state?.practice) {
      shown.push(button("undo", "Undo", () => this.undo(), { disabled: !this.state.can_undo || this.state.thinking, title: "U" }));
    }
    box.replaceChildren(...shown);
    if (focused) box.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  advanceText(advance) {
    const parts = [`+${plural(this.edition, advance.moved)}`];
    if (advance.income) parts.push(`+${advance.income} income`);
    if (advance.specials) parts.push(advance.specials === 1 ? "a special patch" : `${advance.specials} special patches`);
    return [html("strong", {}, `Advance to ${advance.stop}`), " ", html("span", {}, parts.join(", "))];
  }
}
