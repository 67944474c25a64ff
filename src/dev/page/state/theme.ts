import { effect, signal } from '@preact/signals';

type Theme = 'system' | 'light' | 'dark';

const STORED = 'iml-dev-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The colours somebody chose, or those of the system. */
export const theme = signal<Theme>(THEMES.find((name) => name === localStorage.getItem(STORED)) ?? 'system');

/** The next of the three. */
export function chooseTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
}

effect(() => {
  localStorage.setItem(STORED, theme.value);
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
});
