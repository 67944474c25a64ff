import { sendEndpoint } from '../component/call-endpoint.js';
import { type CallReport, reportCall } from '../component/call-report.js';
import type { RunInput } from '../component/check-and-connect.js';
import { endpointSubject, requireCommunication } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { EndpointComponent } from '../document/app.js';
import { assertNoEndpoint } from '../run/endpoint-call.js';

/**
 * Runs an endpoint on its own, as a person or an AI calls it: parameters, one request, the unwrapped result. The caller
 * chooses the values, so the request stays on the server that the app names, as in a universal module. [choice]
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/endpoints
 */
export async function runEndpoint(
  endpoint: EndpointComponent,
  input: RunInput,
  runtime: Runtime,
): Promise<CallReport> {
  return reportCall(runtime, input, {
    subject: () => endpointSubject(endpoint),
    traits: { keepsHost: true },
    work: async (context) => {
      const requests = await runtime.compile(requireCommunication(endpoint));
      assertNoEndpoint(requests, 'An endpoint', context);
      const { body } = await sendEndpoint(requests, context);
      return { result: body };
    },
  });
}
