import { SpecError } from '../../shared/errors/engine-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { EndpointComponent, ModuleComponent, RpcComponent, WebhookComponent } from '../document/app.js';
import type { Document } from '../document/document.js';
import { moduleForm, readForm } from '../parameters/form.js';
import type { ParameterList } from '../parameters/parameter-spec.js';

/** The component of a run, as far as the start of the run depends on it. */
export interface RunSubject {
  /** Kind and name, such as `module:listContacts`. */
  readonly component: string;
  /** Names of the connections that it may use. Empty: any. */
  readonly connections: readonly string[];
  /** JSON whose expressions the run evaluates, beside those of the form. */
  readonly specs: readonly unknown[];
  /** Form of its parameters. */
  readonly form: ParameterList;
  /** Whether to check parameters before the run. */
  readonly isChecked: boolean;
  /** Default of `metadata` in expressions. */
  readonly metadata?: PlainObject;
  /** Members of `metadata` whose `rpc://` references a check of the parameters resolves. */
  readonly specifications?: Readonly<Record<string, Document | undefined>>;
}

/**
 * `metadata.expect` is the mappable parameters, as the platform's API calls them, `metadata.parameters` the static
 * ones. On the platform they are resolved [app]; here a `rpc://` reference stays text unless the check of the parameters
 * resolves it, as that sends requests. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api,
 * https://developers.make.com/custom-apps-documentation/app-components/modules. [doc][src]; unresolved
 * [choice].
 */
export function moduleSubject(module: ModuleComponent): RunSubject {
  const { communication, epoch, staticParams, mappableParams } = module;
  return {
    component: `module:${module.name}`,
    connections: listConnections(module),
    specs: [communication?.value, epoch?.value],
    form: moduleForm(module),
    isChecked: true,
    metadata: {
      parameters: staticParams?.value,
      expect: mappableParams?.value,
      interface: module.interface?.value,
    },
    specifications: { parameters: staticParams, expect: mappableParams },
  };
}

/** Parameters of RPCs are not checked, as a form calls its RPCs before it is complete. [choice] */
export function rpcSubject(rpc: RpcComponent): RunSubject {
  const { communication, params } = rpc;
  const metadata = { expect: params?.value, interface: undefined };
  const specs = [communication?.value];
  const form = readForm(params);
  return {
    component: `rpc:${rpc.name}`,
    connections: listConnections(rpc),
    specs,
    form,
    isChecked: false,
    metadata,
  };
}

/** An endpoint that runs on its own. Its `metadata` has the members of that of a module. [choice] */
export function endpointSubject({
  name,
  connections,
  communication,
  input,
  output,
}: EndpointComponent): RunSubject {
  return {
    component: `endpoint:${name}`,
    connections,
    specs: [communication?.value],
    form: readForm(input),
    isChecked: true,
    metadata: { expect: input?.value, interface: output?.value },
    specifications: { expect: input },
  };
}

/**
 * @param communication attach, update or detach
 * @param isChecked false for detach, as attach has checked the parameters
 */
export function hookSubject(
  webhook: WebhookComponent,
  communication: Document | undefined,
  isChecked: boolean,
): RunSubject {
  return {
    component: `webhook:${webhook.name}`,
    connections: listConnections(webhook),
    specs: [communication?.value],
    form: readForm(webhook.params),
    isChecked,
  };
}

/** A component that names its connections. */
export type ConnectedComponent =
  | Pick<EndpointComponent, 'connections'>
  | Pick<ModuleComponent, 'connection' | 'altConnection'>;

/** The names of the connections that a component may use. */
export function listConnections(component: ConnectedComponent): readonly string[] {
  if ('connections' in component) return component.connections;
  return [component.connection, component.altConnection].filter((name) => name !== undefined);
}

/** @throws SpecError (SPEC_INVALID) if the component has no communication */
export function requireCommunication(component: {
  readonly name: string;
  readonly communication: Document | undefined;
}): Document {
  if (component.communication !== undefined) return component.communication;
  throw new SpecError('SPEC_INVALID', `"${component.name}" has no communication.`);
}
