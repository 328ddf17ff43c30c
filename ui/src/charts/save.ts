// A chart as a picture: the drawing with its colours written in, on the ground of the page.

const LOOKS = ["fill", "stroke", "stroke-width", "font-size", "font-family", "font-weight", "opacity", "text-anchor"];

export async function savePng(svg: SVGSVGElement, title: string): Promise<void> {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [mine, theirs] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  mine.forEach((one, at) => {
    const look = getComputedStyle(one);
    const to = theirs[at];
    to?.removeAttribute("style");
    to?.removeAttribute("class");
    for (const name of LOOKS) to?.setAttribute(name, look.getPropertyValue(name));
  });
  const { width, height } = svg.viewBox.baseVal;
  const scale = 3;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", `${width * scale}`);
  copy.setAttribute("height", `${height * scale}`);
  const source = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  try {
    const picture = new Image();
    await new Promise((done, failed) => { picture.onload = done; picture.onerror = failed; picture.src = source; });
    const canvas = document.createElement("canvas");
    const head = 26 * scale;
    canvas.width = width * scale;
    canvas.height = height * scale + head;
    const to = canvas.getContext("2d");
    if (!to) return;
    const page = getComputedStyle(document.body);
    to.fillStyle = page.backgroundColor;
    to.fillRect(0, 0, canvas.width, canvas.height);
    to.fillStyle = page.color;
    to.font = `600 ${13 * scale}px system-ui, sans-serif`;
    to.fillText(title, 10 * scale, 18 * scale);
    to.drawImage(picture, 0, head);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) saveBlob(blob, `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.png`);
  } finally {
    URL.revokeObjectURL(source);
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
