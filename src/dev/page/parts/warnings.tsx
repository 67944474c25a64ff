import type { JSX } from 'preact';
import type { ShownWarning } from '../../protocol.js';
import { PlaceText } from './badges.js';

/** What the author should know of a run that did not fail. */
export function Warnings({ warnings }: { readonly warnings: readonly ShownWarning[] }): JSX.Element | null {
  if (warnings.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {warnings.map(({ code, message, place }, index) => (
        <li key={`${code} ${index}`}>
          <span class="tag warn">{code}</span> {message} <PlaceText place={place} />
        </li>
      ))}
    </ul>
  );
}
