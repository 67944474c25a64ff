import { SpecError } from '../../shared/errors/engine-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { ModuleComponent, RpcComponent, WebhookComponent } from '../document/app.js';
import type { Document } from '../document/document.js';
import { moduleForm, readForm } from '../parameters/form.js';
import type { ParameterList } from '../parameters/parameter-spec.js';

/** The component of a run, as far as the start of the run depends on it. */
export interface RunSubject {
  /** Names of connections it may use. */
  readonly connection: string | undefined;
  readonly altConnection?: string | undefined;
  /** JSON whose expressions the run evaluates, beside those of the form. */
  readonly specs: readonly unknown[];
  /** Form of its parameters. */
  readonly form: ParameterList;
  /** Whether to check parameters before the run. */
  readonly isChecked: boolean;
  /** Default of `metadata` in expressions. */
  readonly metadata?: PlainObject;
}

/**
 * `metadata.expect` is the mappable parameters, as the platform's API calls them, `metadata.parameters` the static
 * ones. Both are as written: `rpc://` references stay text, as resolving them would send requests the app did not ask
 * for. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api,
 * https://developers.make.com/custom-apps-documentation/app-components/modules. [doc][src]; unresolved [choice].
 */
export function moduleSubject(module: ModuleComponent): RunSubject {
  const { connection, altConnection, communication, epoch, staticParams, mappableParams } = module;
  return {
    connection,
    altConnection,
    specs: [communication?.value, epoch?.value],
    form: moduleForm(module),
    isChecked: true,
    metadata: {
      parameters: staticParams?.value,
      expect: mappableParams?.value,
      interface: module.interface?.value,
    },
  };
}

/** Parameters of RPCs are not checked, as a form calls its RPCs before it is complete. [choice] */
export function rpcSubject(rpc: RpcComponent): RunSubject {
  const { connection, altConnection, communication, params } = rpc;
  const metadata = { expect: params?.value, interface: undefined };
  const specs = [communication?.value];
  const form = readForm(params);
  return { connection, altConnection, specs, form, isChecked: false, metadata };
}

/**
 * @param communication attach, update or detach
 * @param isChecked false for detach, as attach has checked the parameters
 */
export function hookSubject(
  { connection, altConnection, params }: WebhookComponent,
  communication: Document | undefined,
  isChecked: boolean,
): RunSubject {
  return {
    connection,
    altConnection,
    specs: [communication?.value],
    form: readForm(params),
    isChecked,
  };
}

/** @throws SpecError (SPEC_INVALID) if the component has no communication */
export function requireCommunication(component: {
  readonly name: string;
  readonly communication: Document | undefined;
}): Document {
  if (component.communication !== undefined) return component.communication;
  throw new SpecError('SPEC_INVALID', `"${component.name}" has no communication.`);
}
