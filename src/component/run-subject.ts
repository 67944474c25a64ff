import type { ModuleComponent, RpcComponent, WebhookComponent } from '../document/app.js';
import type { Document } from '../document/reading/document.js';
import { moduleForm, readForm } from '../parameters/form/form.js';
import type { ParameterList } from '../parameters/form/parameter-spec.js';
import type { PlainObject } from '../util/plain-object.js';

/** The component that is run, as far as the start of its run depends on it. */
export interface RunSubject {
  /** Names of the app's connections it can use. */
  readonly connection: string | undefined;
  readonly altConnection?: string | undefined;
  /** JSON whose expressions the run evaluates, beside those of its form. */
  readonly specs: readonly unknown[];
  /** What its parameters answer. */
  readonly form: ParameterList;
  /** Whether parameters are checked by the form before the run. */
  readonly isChecked: boolean;
  /** What expressions read as `metadata` unless the run brings its own members. */
  readonly metadata?: PlainObject;
}

/**
 * `metadata.expect` is the mappable parameters, as the platform's API calls them, `metadata.parameters` the static ones.
 * They are as the app writes them: `rpc://` references stay texts, since nothing may be sent that no request of the app
 * asks for.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api,
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

/** A form asks its RPCs while it is still being filled in, so nothing is demanded of their parameters. [choice] */
export function rpcSubject(rpc: RpcComponent): RunSubject {
  const { connection, altConnection, communication, params } = rpc;
  const metadata = { expect: params?.value, interface: undefined };
  const specs = [communication?.value];
  const form = readForm(params);
  return { connection, altConnection, specs, form, isChecked: false, metadata };
}

/**
 * @param communication what is run: attach, update or detach
 * @param isChecked not where a hook is given up: it was checked when it was made
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
