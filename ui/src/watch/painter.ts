// Drawing people and their ties on a canvas, as little as possible and never more often than needed.

export interface Scene {
  /** x, y for each dot. */
  places: Float32Array;
  radius: Float32Array;
  edges: [number, number, number][];
  names: string[];
}

export interface Look {
  back: string;
  edge: string;
  text: string;
  ring: string;
  accent: string;
}

interface View { x: number; y: number; k: number }

const PULSE_MS = 700;
const LABELS_FROM = 2.2;

export class Painter {
  private scene: Scene | null = null;
  private view: View = { x: 0, y: 0, k: 1 };
  private isOwnView = false;
  private back: HTMLCanvasElement = document.createElement("canvas");
  private isBackStale = true;
  private frame = 0;
  private later = 0;
  private pulses = new Map<number, number>();
  private width = 1;
  private height = 1;
  private ratio = 1;
  /** Class of each dot and the colour of each class. */
  private kinds: Uint8Array = new Uint8Array();
  private colours: string[] = ["#888"];
  /** Where a dot stands for many: how many of them are of each class. */
  private shares: number[][] | null = null;
  private look: Look = { back: "#fff", edge: "#ccc", text: "#000", ring: "#000", accent: "#00f" };
  marked = -1;
  chosen = -1;

  constructor(private canvas: HTMLCanvasElement) {}

  resize(width: number, height: number): void {
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    for (const one of [this.canvas, this.back]) {
      one.width = Math.round(this.width * this.ratio);
      one.height = Math.round(this.height * this.ratio);
    }
    if (!this.isOwnView) this.fit();
    this.stale();
  }

  show(scene: Scene): void {
    const isNew = this.scene?.names !== scene.names;
    this.scene = scene;
    if (isNew) this.isOwnView = false;
    if (!this.isOwnView) this.fit();
    this.stale();
  }

  dress(look: Look): void {
    this.look = look;
    this.stale();
  }

  colour(kinds: Uint8Array, colours: string[], shares: number[][] | null = null): void {
    this.kinds = kinds;
    this.colours = colours;
    this.shares = shares;
    this.soon();
  }

  pulse(dots: Iterable<number>): void {
    const now = performance.now();
    for (const dot of dots) this.pulses.set(dot, now);
    if (this.pulses.size) this.soon();
  }

  mark(dot: number): void {
    if (dot !== this.marked) { this.marked = dot; this.soon(); }
  }

  choose(dot: number): void {
    if (dot !== this.chosen) { this.chosen = dot; this.soon(); }
  }

  /** Show everything. */
  fit(): void {
    const places = this.scene?.places;
    if (!places?.length) return;
    let [left, right, top, low] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < places.length; at += 2) {
      const x = places[at] ?? 0, y = places[at + 1] ?? 0;
      left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); low = Math.max(low, y);
    }
    const k = Math.min(4, Math.min((this.width - 48) / (right - left || 1), (this.height - 48) / (low - top || 1)));
    this.view = { k, x: this.width / 2 - k * (left + right) / 2, y: this.height / 2 - k * (top + low) / 2 };
    this.isOwnView = false;
    this.stale();
  }

  zoom(by: number, x = this.width / 2, y = this.height / 2): void {
    const k = Math.max(0.05, Math.min(12, this.view.k * by));
    const real = k / this.view.k;
    this.view = { k, x: x - (x - this.view.x) * real, y: y - (y - this.view.y) * real };
    this.isOwnView = true;
    this.stale();
  }

  pan(dx: number, dy: number): void {
    this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
    this.isOwnView = true;
    this.stale();
  }

  /** The dot under a point of the canvas, or -1. */
  under(x: number, y: number): number {
    const scene = this.scene;
    if (!scene) return -1;
    let best = -1, nearest = Infinity;
    for (let at = 0; at < scene.radius.length; at += 1) {
      const [px, py] = this.at(at);
      const far = Math.hypot(px - x, py - y);
      if (far < Math.max(7, this.size(at) + 3) && far < nearest) { best = at; nearest = far; }
    }
    return best;
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    window.clearTimeout(this.later);
  }

  private at(dot: number): [number, number] {
    const places = this.scene?.places;
    return [(places?.[2 * dot] ?? 0) * this.view.k + this.view.x, (places?.[2 * dot + 1] ?? 0) * this.view.k + this.view.y];
  }

  private size(dot: number): number {
    return (this.scene?.radius[dot] ?? 3) * Math.max(0.75, Math.min(2, Math.sqrt(this.view.k)));
  }

  private stale(): void {
    this.isBackStale = true;
    this.soon();
  }

  private soon(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
  }

  private paint(): void {
    const scene = this.scene;
    const to = this.canvas.getContext("2d");
    if (!scene || !to) return;
    if (this.isBackStale) this.paintEdges(scene);
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.clearRect(0, 0, this.canvas.width, this.canvas.height);
    to.drawImage(this.back, 0, 0);
    to.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.paintPulses(to);
    this.paintDots(to, scene);
    this.paintMarks(to, scene);
    if (this.pulses.size) {
      window.clearTimeout(this.later);
      this.later = window.setTimeout(() => this.soon(), 130);
    }
  }

  private paintEdges(scene: Scene): void {
    const to = this.back.getContext("2d");
    if (!to) return;
    this.isBackStale = false;
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.clearRect(0, 0, this.back.width, this.back.height);
    to.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    to.strokeStyle = this.look.edge;
    to.lineWidth = Math.max(0.4, Math.min(1.2, this.view.k * 0.6));
    to.globalAlpha = scene.edges.length > 3000 ? 0.35 : 0.6;
    to.beginPath();
    for (const [a, b] of scene.edges) {
      const [ax, ay] = this.at(a), [bx, by] = this.at(b);
      to.moveTo(ax, ay);
      to.lineTo(bx, by);
    }
    to.stroke();
    to.globalAlpha = 1;
  }

  private paintPulses(to: CanvasRenderingContext2D): void {
    const now = performance.now();
    to.strokeStyle = this.look.ring;
    to.lineWidth = 1.2;
    for (const [dot, began] of this.pulses) {
      const age = (now - began) / PULSE_MS;
      if (age >= 1) { this.pulses.delete(dot); continue; }
      const [x, y] = this.at(dot);
      to.globalAlpha = 0.55 * (1 - age);
      to.beginPath();
      to.arc(x, y, this.size(dot) + 2 + 5 * age, 0, 6.2832);
      to.stroke();
    }
    to.globalAlpha = 1;
  }

  private paintDots(to: CanvasRenderingContext2D, scene: Scene): void {
    if (this.shares) { this.shares.forEach((one, dot) => this.paintPie(to, dot, one)); return; }
    this.colours.forEach((colour, kind) => {
      to.fillStyle = colour;
      to.beginPath();
      for (let dot = 0; dot < scene.radius.length; dot += 1) {
        if ((this.kinds[dot] ?? 0) !== kind) continue;
        const [x, y] = this.at(dot);
        if (x < -20 || y < -20 || x > this.width + 20 || y > this.height + 20) continue;
        const size = this.size(dot);
        to.moveTo(x + size, y);
        to.arc(x, y, size, 0, 6.2832);
      }
      to.fill();
    });
  }

  /** A dot as a pie: a slice for each class that somebody in it is of. */
  private paintPie(to: CanvasRenderingContext2D, dot: number, shares: number[]): void {
    const [x, y] = this.at(dot), size = this.size(dot);
    const whole = shares.reduce((sum, one) => sum + one, 0) || 1;
    let from = -Math.PI / 2;
    shares.forEach((one, kind) => {
      if (!one) return;
      const to_ = from + 2 * Math.PI * one / whole;
      to.fillStyle = this.colours[kind] ?? "#888";
      to.beginPath();
      if (one < whole) to.moveTo(x, y);
      to.arc(x, y, size, from, to_);
      to.fill();
      from = to_;
    });
  }

  private paintMarks(to: CanvasRenderingContext2D, scene: Scene): void {
    to.font = "12px system-ui, sans-serif";
    to.textBaseline = "middle";
    if (this.view.k >= LABELS_FROM && scene.names.length <= 2000) {
      to.globalAlpha = 0.8;
      this.paintLabels(to, scene);
      to.globalAlpha = 1;
    }
    for (const dot of new Set([this.marked, this.chosen])) {
      if (dot < 0 || dot >= scene.names.length) continue;
      this.paintTies(to, scene, dot);
      const [x, y] = this.at(dot);
      to.strokeStyle = this.look.accent;
      to.lineWidth = 2;
      to.beginPath();
      to.arc(x, y, this.size(dot) + 3, 0, 6.2832);
      to.stroke();
      this.label(to, dot, scene.names[dot] ?? "", true);
    }
  }

  /** Names where there is room, those of the largest first. */
  private paintLabels(to: CanvasRenderingContext2D, scene: Scene): void {
    const order = [...scene.names.keys()].sort((a, b) => (scene.radius[b] ?? 0) - (scene.radius[a] ?? 0));
    const taken: [number, number, number][] = [];
    for (const dot of order) {
      const [x, y] = this.at(dot);
      if (x < 0 || y < 0 || x > this.width || y > this.height) continue;
      const name = scene.names[dot] ?? "";
      const left = x + this.size(dot) + 6, right = left + 6.5 * name.length;
      if (right > this.width || taken.some(([l, r, at]) => Math.abs(at - y) < 15 && left < r && right > l)) continue;
      taken.push([left, right, y]);
      this.label(to, dot, name);
    }
  }

  private paintTies(to: CanvasRenderingContext2D, scene: Scene, dot: number): void {
    to.strokeStyle = this.look.accent;
    to.globalAlpha = 0.6;
    to.lineWidth = 1.2;
    to.beginPath();
    for (const [a, b] of scene.edges) {
      if (a !== dot && b !== dot) continue;
      const [ax, ay] = this.at(a), [bx, by] = this.at(b);
      to.moveTo(ax, ay);
      to.lineTo(bx, by);
    }
    to.stroke();
    to.globalAlpha = 1;
  }

  private label(to: CanvasRenderingContext2D, dot: number, name: string, isBoxed = false): void {
    const [x, y] = this.at(dot);
    if (x < 0 || y < 0 || x > this.width || y > this.height) return;
    const far = this.size(dot) + 6;
    if (isBoxed) {
      const wide = to.measureText(name).width;
      to.fillStyle = this.look.back;
      to.globalAlpha = 0.92;
      to.fillRect(x + far - 3, y - 9, wide + 6, 18);
      to.globalAlpha = 1;
    }
    to.fillStyle = this.look.text;
    to.fillText(name, x + far, y);
  }
}
