export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const STORED = 'iml-dev-theme';

/** The stored theme of this browser. */
export function readTheme(): Theme {
  return THEMES.find((name) => name === localStorage.getItem(STORED)) ?? 'system';
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
}

/** Applies a theme; the system's by default. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
