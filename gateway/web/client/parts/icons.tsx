/** Line icons on a grid of 24 units. They repeat the text beside them and are hidden from screen readers. */
const paths = {
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  down: "M12 4v12m0 0l-5-5m5 5l5-5M5 20h14",
  moveUp: "M12 20V5m0 0l-6 6m6-6l6 6",
  moveDown: "M12 4v15m0 0l-6-6m6 6l6-6",
  up: "M12 20V8m0 0l-5 5m5-5l5 5M5 4h14",
  chevron: "M6 9l6 6 6-6",
  arrow: "M5 12h14m0 0l-5-5m5 5l-5 5",
  copy: "M9 9h10v11H9zM5 15V4h10",
  warn: "M12 4l9 16H3zM12 10v5m0 2.5v.1",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 8v5m0-8.5v.1",
  again: "M19 12a7 7 0 1 1-2-5l2 2m0-5v5h-5",
  trash: "M5 7h14M10 7V4h4v3m-7 0l1 13h8l1-13",
  pen: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
  plus: "M12 5v14M5 12h14",
  key: "M14.5 9.5m-4.5 0a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M11.3 12.7L4 20m3-3l2.5 2.5",
  server: "M4 5h16v6H4zM4 13h16v6H4zM7.5 8v.1M7.5 16v.1M12 8h5M12 16h5",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zm10-3a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
