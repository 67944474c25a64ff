import { applyTheme, readTheme } from './state/stored-theme.js';

/**
 * What is seen first is in the HTML. The page itself takes longer to run than that takes to be drawn, so it is loaded
 * after it; a tab that nobody looks at draws nothing, and waits for nothing.
 */
function start(): void {
  void import('./main.js');
}

applyTheme(readTheme());
if (document.hidden) start();
else requestAnimationFrame(() => setTimeout(start));
