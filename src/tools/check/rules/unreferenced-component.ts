import type { App } from '../../../engine/document/app.js';
import type { ReportFinding, Rule } from '../rule.js';
import { listCalls, listCodeCalls } from '../subject/calls.js';
import { indexRpcCalls } from '../subject/rpc-calls.js';
import type { Subject } from '../subject/subject.js';

export const unreferencedComponent: Rule = {
  id: 'unreferenced-component',
  level: 'info',
  summary: 'Nothing in the app uses an RPC, function, connection or webhook.',
  why: 'The component is deployed but never runs.',
  bad: 'an RPC listTables that no form names',
  good: '"options": "rpc://listTables"',
  check: (subject, report) => {
    const rpcs = indexRpcCalls(subject);
    const functions = listCalledFunctions(subject);
    const { app } = subject;
    const components = [
      ...app.modules.values(),
      ...app.rpcs.values(),
      ...app.webhooks.values(),
      ...app.endpoints.values(),
    ];
    const connections = new Set(
      components.flatMap((one) => [one.connection, 'altConnection' in one ? one.altConnection : undefined]),
    );
    const webhooks = new Set([...app.modules.values()].map(({ webhook }) => webhook));
    tell(report, 'RPC', app.rpcs, rpcs);
    tell(report, 'function', app.functions, functions);
    if (!hasGuessedLinks(app)) {
      tell(report, 'connection', app.connections, connections);
      tell(report, 'webhook', app.webhooks, webhooks);
    }
  },
};

/** Components without metadata can use any connection and webhook. */
function hasGuessedLinks({ warnings }: App): boolean {
  return warnings.some(
    ({ code, place }) =>
      code === 'undeclared-component' ||
      (code === 'missing-file' && place.file?.endsWith('/metadata.json') === true),
  );
}

interface Named {
  readonly name: string;
  readonly file?: string | undefined;
  readonly communication?: { readonly file: string | undefined } | undefined;
}

function tell(
  report: ReportFinding,
  what: string,
  components: ReadonlyMap<string, Named>,
  used: { readonly has: (name: string) => boolean },
): void {
  for (const { name, file, communication } of components.values()) {
    if (used.has(name)) continue;
    report({ message: `Nothing uses the ${what} "${name}".`, place: { file: file ?? communication?.file } });
  }
}

/** Functions called by expressions or other functions. */
function listCalledFunctions({ app, expressions }: Subject): ReadonlySet<string> {
  const byCode = [...app.functions.values()].flatMap(({ name, code }) =>
    listCodeCalls(code).filter((called) => called !== name),
  );
  return new Set([...listCalls(expressions), ...byCode]);
}
