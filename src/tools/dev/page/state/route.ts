import { signal } from '@preact/signals';

/** The view: `#/run/ID`, `#/module/NAME`, ... */
export interface Route {
  readonly view: string;
  readonly id: string;
  readonly more: string;
}

function read(): Route {
  const [view = '', id = '', more = ''] = location.hash.replace(/^#\/?/, '').split('/').map(decode);
  return { view, id, more };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = signal<Route>({ view: '', id: '', more: '' });

/** Follows changes of the address. */
export function followAddress(): void {
  route.value = read();
  addEventListener('hashchange', () => {
    // The address that a new `iml dev` printed was pasted into this tab.
    if (location.hash.startsWith('#token=')) location.reload();
    else route.value = read();
  });
}

export function writeRoute(...steps: readonly string[]): string {
  return `#/${steps.map(encodeURIComponent).join('/')}`;
}

export function go(...steps: readonly string[]): void {
  location.hash = writeRoute(...steps);
}
