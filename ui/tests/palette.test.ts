// Colours that stand side by side are seen on their ground and told apart by everybody, in both themes.

import { describe, expect, it } from "vitest";
import tokens from "../src/style/tokens.css?raw";
import report from "../../src/audience/results/page.html?raw";
import figures from "../../src/audience/results/figure.py?raw";
import { LEGENDS } from "../src/watch/colouring";

type Triple = [number, number, number];
const CONTRAST = 3;
const APART = 12;  // CIE76; about 2 is the least that anybody sees

// Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
const SIGHTS: Record<string, Triple[]> = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};
const TO_XYZ: Triple[] = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]];

const by = (rows: Triple[], [a, b, c]: Triple): Triple => rows.map(([x, y, z]) => x * a + y * b + z * c) as Triple;

function linear(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

function lab(rgb: Triple): Triple {
  const [x, y, z] = by(TO_XYZ, rgb.map((one) => Math.min(1, Math.max(0, one))) as Triple)
    .map((one, at) => one / ([0.95047, 1, 1.08883][at] ?? 1)).map((one) => (one > 0.008856 ? Math.cbrt(one) : 7.787 * one + 16 / 116)) as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function contrast(a: string, b: string): number {
  const [dark, light] = [a, b].map((one) => by(TO_XYZ, linear(one))[1]).sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function apart(a: string, b: string, sight: Triple[]): number {
  const [one, two] = [lab(by(sight, linear(a))), lab(by(sight, linear(b)))];
  return Math.hypot(...one.map((value, at) => value - (two[at] ?? 0)));
}

function named(css: string): Map<string, string> {
  return new Map([...css.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, value]) => [name ?? "", value ?? ""]));
}

const [light = "", dark = ""] = tokens.split(":root[data-theme=\"dark\"]");
const THEMES = { light: named(light), dark: named(dark) };
const SETS: Record<string, string[]> = {
  ...Object.fromEntries(Object.entries(LEGENDS).map(([name, legend]) => [name, legend.map((one) => one.colour)])),
  sides: ["--side-a", "--side-b"],
};

describe.each(Object.entries(THEMES))("the palette, %s", (_, theme) => {
  it.each(Object.entries(SETS))("shows every colour of %s on both grounds", (_name, set) => {
    for (const name of set) {
      for (const ground of ["--surface", "--ground"]) {
        expect(contrast(theme.get(name) ?? "", theme.get(ground) ?? ""), `${name} on ${ground}`).toBeGreaterThanOrEqual(CONTRAST);
      }
    }
  });

  it.each(Object.entries(SETS))("keeps the colours of %s apart for every sight", (_name, set) => {
    for (const [sight, rows] of Object.entries(SIGHTS)) {
      set.forEach((a, at) => set.slice(at + 1).forEach((b) => {
        expect(apart(theme.get(a) ?? "", theme.get(b) ?? "", rows), `${a} and ${b}, ${sight}`).toBeGreaterThanOrEqual(APART);
      }));
    }
  });
});

describe("arms", () => {
  const arms = (theme: Map<string, string>) => LEGENDS.community.map((one) => theme.get(one.colour));
  it("have the colours of reports, in both themes", () => {
    const found = [...report.matchAll(/--arm\d: (#[0-9a-f]{6})/g)].map(([, value]) => value);
    expect(found).toEqual([...arms(THEMES.light), ...arms(THEMES.dark)]);
  });
  it("have the colours of figures", () => {
    expect([...(/^PALETTE = \((.*)\)$/m.exec(figures)?.[1] ?? "").matchAll(/#[0-9a-f]{6}/g)].map(([value]) => value)).toEqual(arms(THEMES.light));
  });
});
