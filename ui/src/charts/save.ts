// A chart as a picture: its drawing under its title, the name of the value axis and a legend, on the ground of the page.

export async function savePng(drawing: HTMLCanvasElement, title: string, unit: string, legend: [string, string][]): Promise<void> {
  const scale = drawing.width / Math.max(1, drawing.clientWidth);
  const row = 18 * scale;
  const head = row * (2.4 + legend.length);
  const canvas = document.createElement("canvas");
  canvas.width = drawing.width + 20 * scale;
  canvas.height = drawing.height + head + 10 * scale;
  const to = canvas.getContext("2d");
  if (!to) return;
  const page = getComputedStyle(document.body);
  to.fillStyle = page.backgroundColor;
  to.fillRect(0, 0, canvas.width, canvas.height);
  const write = (text: string, x: number, line: number, weight: number) => {
    to.fillStyle = page.color;
    to.font = `${weight} ${12 * scale}px system-ui, sans-serif`;
    to.fillText(text, x * scale, row * line, canvas.width - 2 * x * scale);
  };
  write(title, 10, 1, 600);
  legend.forEach(([name, colour], at) => {
    to.fillStyle = colour;
    to.fillRect(10 * scale, row * (at + 1.6), 9 * scale, 9 * scale);
    write(name, 25, at + 2.1, 400);
  });
  write(unit ? `↑ ${unit}` : "", 10, legend.length + 2, 400);
  to.drawImage(drawing, 10 * scale, head);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) saveBlob(blob, `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.png`);
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
