/**
 * A drawing within all pixel limits whose filter keeps twenty pictures of 81 megapixels
 * in memory: six gigabytes within five seconds, unless the engine's memory is limited.
 */
export function layeredDrawing(): string {
  const side = 9000;
  const layers = Array.from({ length: 20 }, (_, layer) => `<feFlood flood-color="#0${layer % 9}f" result="r${layer}"/>`);
  const merged = Array.from({ length: 20 }, (_, layer) => `<feMergeNode in="r${layer}"/>`);
  const filter = `<filter id="f" x="0" y="0" width="1" height="1">${layers.join("")}<feMerge>${merged.join("")}</feMerge></filter>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${filter}<rect width="${side}" height="${side}" filter="url(#f)"/></svg>`;
}
