import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderOf } from '@codemirror/view';

interface EditorOptions {
  readonly label: string;
  readonly initial: string;
  readonly language: 'json' | undefined;
  readonly placeholder: string;
  readonly takesFocus: boolean;
  readonly onChange: (text: string) => void;
}

const THEME = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'inherit', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'currentColor', padding: '8px 0' },
  '.cm-line': { padding: '0 10px' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-scroller': { maxHeight: '320px', overflow: 'auto' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--mark)' },
});

/**
 * Opens an editor in a shadow tree, which needs no inline styles.
 *
 * @returns a function that closes it
 */
export function openEditor(box: HTMLElement, options: EditorOptions): () => void {
  const { label, initial, language, placeholder, takesFocus, onChange } = options;
  const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
  const parent = document.createElement('div');
  root.append(parent);
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: initial,
      extensions: [
        history(),
        bracketMatching(),
        EditorView.lineWrapping,
        placeholderOf(placeholder),
        // Tab leaves the editor, as everywhere on the page.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        ...(language === 'json' ? [json(), syntaxHighlighting(defaultHighlightStyle)] : []),
        THEME,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  if (takesFocus) {
    view.focus();
    view.dispatch({ selection: { anchor: initial.length } });
  }
  return () => {
    view.destroy();
    parent.remove();
  };
}
