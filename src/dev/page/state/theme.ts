import { effect, signal } from '@preact/signals';
import { applyTheme, readTheme, storeTheme, THEMES, type Theme } from './stored-theme.js';

/** The colours somebody chose, or those of the system. */
export const theme = signal<Theme>(readTheme());

/** The next of the three. */
export function chooseTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
}

effect(() => {
  storeTheme(theme.value);
  applyTheme(theme.value);
});
