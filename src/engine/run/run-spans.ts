import { inSpan, NO_SPAN, type TraceSpan } from '../../shared/tracing.js';
import { type TransportRequest, type TransportResponse, withTraceparent } from '../http/transport.js';
import type { RunContext } from './run-context.js';

/** Starts the span of a request or follow-up page with its repeats, below that of the run. */
export function startPageSpan({ run, position }: RunContext): TraceSpan {
  const { tracing } = run.settings;
  if (tracing === undefined) return NO_SPAN;
  const { requestIndex, page, endpoint } = position;
  const attributes = { 'iml.request_index': requestIndex, 'iml.page': page, 'iml.endpoint': endpoint };
  return run.span.within(() => tracing.startSpan({ name: 'iml page', kind: 'internal', attributes }));
}

/** Sends a request in a span. */
export async function sendInSpan(request: TransportRequest, { run }: RunContext): Promise<TransportResponse> {
  const { tracing, transport } = run.settings;
  if (tracing === undefined) return transport(request);
  const [url] = run.log.redactor.url(request.url).split(/[?#]/, 1);
  const attributes = { 'http.request.method': request.method, 'url.full': url };
  return inSpan(tracing, { name: 'iml request', kind: 'client', attributes }, async (span) => {
    const response = await transport(withTraceparent(request, span.traceparent));
    const { status } = response;
    span.set({ 'http.response.status_code': status });
    if (status >= 400) span.fail(`status ${status}`);
    return response;
  });
}
