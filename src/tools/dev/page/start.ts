import { applyTheme, readTheme } from './theme.js';

/**
 * The first view is in the HTML. The page loads after it was painted; a hidden tab paints nothing and loads at once.
 */
function start(): void {
  void import('./main.js');
}

applyTheme(readTheme());
if (document.hidden) start();
else requestAnimationFrame(() => setTimeout(start));
