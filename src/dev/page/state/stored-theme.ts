export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const STORED = 'iml-dev-theme';

/** The colours that were chosen in this browser. */
export function readTheme(): Theme {
  return THEMES.find((name) => name === localStorage.getItem(STORED)) ?? 'system';
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
}

/** Shows colours; those of the system where none were chosen. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
