import type { JSX } from 'preact';
import type { DocumentDiff } from '../../protocol.js';

const WORDS: Readonly<Record<string, string>> = { '-': 'before: ', '+': 'after: ' };

/** Lines of the app or of a case that differ between two runs. */
export function DocumentDiffs({ documents }: { readonly documents: readonly DocumentDiff[] }): JSX.Element {
  return (
    <>
      {documents.map(({ file, lines }) => (
        <figure key={file} class="document-diff">
          <figcaption>
            <code>{file}</code>
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
          <pre tabIndex={0}>
            {lines.map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </pre>
        </figure>
      ))}
    </>
  );
}

function Line({ line }: { readonly line: string }): JSX.Element {
  const word = WORDS[line[0] ?? ''];
  if (word === undefined) return <span class="line">{`${line}\n`}</span>;
  const Mark = line.startsWith('-') ? 'del' : 'ins';
  return (
    <Mark class="line">
      <span class="unseen">{word}</span>
      {`${line}\n`}
    </Mark>
  );
}
