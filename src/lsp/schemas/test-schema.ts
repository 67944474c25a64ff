import { isPlainObject, type PlainObject } from '../../util/plain-object.js';

/** Descriptions of test case members by path. */
const ABOUT: Readonly<Record<string, string>> = {
  $schema: 'Address of the schema of this file.',
  name: 'What the case is called in reports. Default: the name of its file.',
  component: 'What is run: `module:listOrders`, `rpc:listTables`, `connection:account`, `webhook:events`.',
  kind: 'What of the component is run, where it is not what its type says: `epoch`, `attach`, `oauth2-refresh`, ...',
  record:
    '`true`: `iml test --record` runs the case against the service and writes what it saw in place of this.',
  todo: 'Why the case is not finished. `iml test` does not run it, and shows the reason. Remove the member to run it.',
  live: 'Whether `iml test --live` runs the case. Default: where all its calls are GET or HEAD.',
  recorded: 'When the exchanges were recorded, and by which version.',
  secrets: 'What stands for a secret: texts by the name that `{{secret:NAME}}` is written with.',
  exchanges:
    'What the component asks and what the service answers, in the order of the calls. Each answers once.',
  ignore: 'Paths of requests that are not compared: `request.query.nonce`.',
  server: 'A service that answers pages of its own, in place of exchanges.',
  app: 'An app for this case alone, in place of the one it lies in.',
  common: 'Replaces the common data.',
  input: 'What the run is given.',
  expect: 'What has to come of it. What is not named is not looked at.',
  title: 'What the case is about.',
  covers: 'What it covers.',
  basis: 'What the expectation rests on.',
  certainty: 'How sure that is.',
  source: 'Where it is written.',
  note: 'For people.',
  disputed: 'Why somebody doubts it.',
  'input.parameters': 'What the form is filled in with.',
  'input.connection': 'Data of the connection; secrets as `{{secret:NAME}}`.',
  'input.data': 'State of a polling trigger, or of the component.',
  'input.now': 'The time of the run, as `2026-01-31T12:00:00Z`.',
  'input.payload': 'The item of the webhook an instant trigger works on.',
  'input.request': 'The call of a webhook.',
  'input.checkParameters': 'Whether parameters are checked by the form first.',
  'expect.bundles': 'The bundles, all of them, in order.',
  'expect.bundleCount': 'How many bundles.',
  'expect.firstBundle': 'The first bundle.',
  'expect.lastBundle': 'The last bundle.',
  'expect.result': 'What an RPC or a responder gives.',
  'expect.error': 'The error it ends with: `type` and `message`.',
  'expect.requestCount': 'How many requests are sent.',
  'expect.stop': 'Why paging stopped.',
  'expect.query': 'JSONata over the report, which has to give true.',
  'expect.state': 'State of the trigger afterwards.',
  'expect.respond': 'Response to the sender of the webhook.',
  'expect.connection': 'Data the connection keeps.',
};

/** The schema of test cases with descriptions. */
export async function loadTestSchema(): Promise<PlainObject> {
  const { CASE_SCHEMA } = await import('../../testing/cases/case-shape.js');
  return describeMembers(CASE_SCHEMA, '');
}

function describeMembers(schema: PlainObject, path: string): PlainObject {
  const properties = schema['properties'];
  if (!isPlainObject(properties)) return schema;
  const described = Object.entries(properties).map(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const about = Object.hasOwn(ABOUT, at) ? ABOUT[at] : undefined;
    if (!isPlainObject(member)) return [name, member];
    const inner = describeMembers(member, at);
    return [name, about === undefined ? inner : { ...inner, description: about, markdownDescription: about }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
