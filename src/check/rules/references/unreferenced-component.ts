import type { ReportFinding, Rule } from '../../rule.js';
import { listRpcNames } from '../../subject/declared-names.js';
import { pickExpressions } from '../../subject/expression-site.js';
import type { Subject } from '../../subject/subject.js';
import { walkExpression } from '../../subject/walk-expression.js';

export const unreferencedComponent: Rule = {
  id: 'unreferenced-component',
  level: 'info',
  summary: 'An RPC, function, connection or webhook is used by nothing.',
  why: 'It is deployed and never runs.',
  bad: 'an RPC listTables that no form names',
  good: '"options": "rpc://listTables"',
  check: (subject, report) => {
    const rpcs = new Set(subject.documents.flatMap(({ document }) => listRpcNames(document.value)));
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
    tell(report, 'connection', app.connections, connections);
    tell(report, 'webhook', app.webhooks, webhooks);
  },
};

interface Named {
  readonly name: string;
  readonly file?: string | undefined;
  readonly communication?: { readonly file: string | undefined } | undefined;
}

function tell(
  report: ReportFinding,
  what: string,
  components: ReadonlyMap<string, Named>,
  used: ReadonlySet<string | undefined>,
): void {
  for (const { name, file, communication } of components.values()) {
    if (used.has(name)) continue;
    report({ message: `Nothing uses the ${what} "${name}".`, place: { file: file ?? communication?.file } });
  }
}

/** Called by an expression, or by the code of another function. */
function listCalledFunctions({ app, expressions }: Subject): ReadonlySet<string> {
  const called = new Set<string>();
  for (const site of expressions) {
    for (const expression of pickExpressions(site)) {
      walkExpression(expression, (node) => {
        if (node.kind === 'call') called.add(node.name);
      });
    }
  }
  for (const { name, code = '' } of app.functions.values()) {
    for (const match of code.matchAll(/\biml\s*\.\s*([A-Za-z_$][\w$]*)/g)) {
      if (match[1] !== undefined && match[1] !== name) called.add(match[1]);
    }
  }
  return called;
}
