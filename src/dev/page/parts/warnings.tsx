import type { JSX } from 'preact';
import type { RunDetail, ShownPlace, ShownWarning } from '../../protocol.js';
import { PlaceText } from './badges.js';

interface WarningsProps {
  readonly run: RunDetail;
  /** Scrolls to the line of a warning. */
  readonly onShow: (place: ShownPlace) => void;
}

/** Warnings of a run. */
export function Warnings({ run, onShow }: WarningsProps): JSX.Element | null {
  const { allWarnings, documents } = run;
  if (allWarnings.length === 0) return null;
  // Warnings that are shown beside expressions.
  const shown = new Set(
    documents.filter(({ role }) => role === 'communication' || role === 'base').map(({ file }) => file),
  );
  return (
    <ul class="warnings" aria-label="Warnings">
      {allWarnings.map((warning, index) => (
        <li key={`${warning.code} ${index}`}>
          <span class="tag warn">{warning.code}</span> {warning.message}{' '}
          {isShown(warning, shown) ? (
            <button type="button" class="link" onClick={() => onShow(warning.place ?? {})}>
              <PlaceText place={warning.place} />
            </button>
          ) : (
            <PlaceText place={warning.place} />
          )}
        </li>
      ))}
    </ul>
  );
}

function isShown({ place }: ShownWarning, files: ReadonlySet<string | undefined>): boolean {
  return place?.line !== undefined && files.has(place.file);
}
