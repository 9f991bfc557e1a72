// A recorded game, position by position, with a graph of who was ahead.

import * as api from "./api.js";
import { svg } from "./draw.js";
import { say } from "./view.js";

const byId = (id) => document.getElementById(id);
const [WIDTH, HEIGHT] = [600, 150];

export class Replay {
  // `show(frame, number)` puts a position on the page.
  constructor(show) {
    this.show = show;
    this.frames = [];
    this.number = 0;
    byId("replay-slider").addEventListener("input", (event) => { this.stop(); this.go(Number(event.target.value)); });
    byId("replay-start").addEventListener("click", () => { this.stop(); this.go(0); });
    byId("replay-back").addEventListener("click", () => { this.stop(); this.go(this.number - 1); });
    byId("replay-next").addEventListener("click", () => { this.stop(); this.go(this.number + 1); });
    byId("replay-end").addEventListener("click", () => { this.stop(); this.go(this.frames.length - 1); });
    byId("replay-play").addEventListener("click", () => (this.timer ? this.stop() : this.run()));
    byId("graph").addEventListener("click", (event) => {
      const box = byId("graph").getBoundingClientRect();
      this.stop();
      this.go(Math.round(((event.clientX - box.left) / box.width) * (this.frames.length - 1)));
    });
  }

  open(recorded, notation) {
    this.stop();
    this.frames = recorded.frames;
    this.chances = null;
    byId("replay-slider").max = this.frames.length - 1;
    byId("graph").replaceChildren();
    this.go(0);
    api.graph(notation).then((found) => {
      if (this.frames !== recorded.frames) return;
      this.chances = found.player_0;
      this.drawGraph();
    }).catch((error) => { byId("notice").textContent = error.message; });
  }

  close() {
    this.stop();
    this.frames = [];
  }

  go(number) {
    if (!this.frames.length) return;
    this.number = Math.max(0, Math.min(this.frames.length - 1, number));
    byId("replay-slider").value = this.number;
    byId("replay-slider").setAttribute("aria-valuetext", `move ${this.number} of ${this.frames.length - 1}`);
    byId("replay-number").textContent = `${this.number} of ${this.frames.length - 1}`;
    this.show(this.frames[this.number], this.number);
    if (!this.timer) say(this.frames[this.number].last_move || "start of the game");
    this.drawGraph();
  }

  run() {
    if (this.number >= this.frames.length - 1) this.go(0);
    byId("replay-play").textContent = "Pause";
    this.timer = setInterval(() => {
      if (this.number >= this.frames.length - 1) this.stop();
      else this.go(this.number + 1);
    }, 700);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    byId("replay-play").textContent = "Play";
  }

  drawGraph() {
    if (!this.chances) return;
    const last = Math.max(1, this.chances.length - 1);
    const points = this.chances.map((chance, k) => [(k / last) * WIDTH, (1 - chance) * HEIGHT]);
    const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
    const [x, y] = points[this.number];
    const percent = Math.round(this.chances[this.number] * 100);
    byId("graph").replaceChildren(svg("svg", {
      viewBox: `-6 -6 ${WIDTH + 12} ${HEIGHT + 12}`, role: "img", class: "graph",
      "aria-label": `Chance to win: player 0 ${percent} percent at this position`,
    },
    svg("rect", { width: WIDTH, height: HEIGHT, class: "graph-back" }),
    svg("polygon", { points: `0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`, class: "graph-area" }),
    svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "graph-half" }),
    svg("polyline", { points: line, class: "graph-line" }),
    svg("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, class: "graph-now" }),
    svg("circle", { cx: x, cy: y, r: 6, class: "graph-dot" }),
    svg("text", { x: x > WIDTH - 90 ? x - 10 : x + 10, y: y < 30 ? y + 22 : y - 10, class: "graph-text", "text-anchor": x > WIDTH - 90 ? "end" : "start" }, `${percent}%`)));
  }
}
