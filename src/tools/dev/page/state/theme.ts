import { effect, signal } from '@preact/signals';
import { applyTheme, readTheme, storeTheme, THEMES, type Theme } from './stored-theme.js';

/** The selected theme. */
export const theme = signal<Theme>(readTheme());

/** Switches to the next theme. */
export function chooseTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
}

effect(() => {
  storeTheme(theme.value);
  applyTheme(theme.value);
});
