/** Moves the focus in a list with the arrow keys, j and k. */
export function moveFocus(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const list = event.currentTarget;
  if (!(list instanceof HTMLElement)) return;
  const items = [...list.querySelectorAll<HTMLElement>('[data-item]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = items[at + step];
  if (at === -1 || next === undefined) return;
  event.preventDefault();
  next.focus();
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };
