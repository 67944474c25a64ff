import type { JSX } from 'preact';
import type { RunDetail } from '../../protocol.js';
import { duration, stopSentence } from '../state/format.js';

/** Usage of the limits, and the stop reason. */
export function LimitMeters({ run }: { readonly run: RunDetail }): JSX.Element {
  const { limits, requests, pages, records, durationMs } = run;
  const stopped = stopSentence(run.stopReason);
  return (
    <section class="limits" aria-label="Limits used">
      <Meter name="requests" used={requests} limit={limits.requests} />
      <Meter name="follow-up pages" used={pages} limit={limits.pages} />
      <Meter name="records" used={records} limit={limits.records} />
      <Meter name="time" used={durationMs} limit={limits.timeMs} shown={duration} />
      {stopped !== undefined && (
        <p class="stop">
          <strong>Why it stopped:</strong> {stopped} <code>{run.stopReason}</code>
        </p>
      )}
    </section>
  );
}

interface MeterProps {
  readonly name: string;
  readonly used: number;
  readonly limit: number | undefined;
  readonly shown?: (value: number) => string;
}

function Meter({
  name,
  used,
  limit,
  shown = (value) => value.toLocaleString('en'),
}: MeterProps): JSX.Element {
  const share = limit === undefined || limit === 0 ? 0 : Math.min(1, used / limit);
  const kind = share >= 1 ? 'full' : share >= 0.8 ? 'near' : '';
  return (
    <div class={`meter ${kind}`}>
      <span class="meter-text">
        <strong>{shown(used)}</strong>
        {limit !== undefined && <span class="muted"> of {shown(limit)}</span>}
        <span class="meter-name">{name}</span>
      </span>
      <span class="meter-line" aria-hidden="true">
        <span style={{ width: `${Math.round(share * 100)}%` }} />
      </span>
    </div>
  );
}
