import { findEndpoint, findModule, findRpc } from '../../engine/find-component.js';
import type { EpochEntry } from '../../engine/module/run-epoch.js';
import { moduleForm, readForm } from '../../engine/parameters/form.js';
import { findParameter } from '../../engine/parameters/parameter-spec.js';
import { parseRpcReference } from '../../engine/parameters/rpc-reference.js';
import type { AppError } from '../../shared/errors/app-error.js';
import { type Arguments, usageError } from './command.js';
import { limitsOfRun, startTraceFile } from './execute-run.js';
import { findNamed } from './input/component-input.js';
import type { RunSettings } from './input/run-options.js';
import type { Io } from './io.js';
import type { LoadedApp } from './open-app.js';
import { printJson, printPrettyJson } from './output/json-output.js';
import { printTable } from './output/print-table.js';
import { createBundleWriter, type PrintedReport, writeReport } from './output/results.js';
import { createSaveBinaries } from './output/save-binaries.js';
import { printableLine } from './output/terminal-text.js';
import { type EngineTarget, withEngine } from './with-engine.js';

/** An argument of `iml run` that names no module: `endpoint:getContact`, `rpc:listGenres`, `epoch:watchContacts`. */
export interface NamedTarget {
  readonly kind: 'endpoint' | 'rpc' | 'epoch';
  readonly name: string;
}

/** @returns undefined for a module */
export function readTarget(argument: string): NamedTarget | undefined {
  // A reference as in forms: `rpc://listFields?table=contacts`.
  if (argument.startsWith('rpc://')) return { kind: 'rpc', name: argument };
  const [, kind, name = ''] = /^(endpoint|rpc|epoch):(.*)$/s.exec(argument) ?? [];
  return kind === undefined ? undefined : { kind: kind as NamedTarget['kind'], name };
}

/** A command line before and after the options of the project are added. */
interface Given {
  readonly line: Arguments;
  readonly args: Arguments;
  readonly loaded: LoadedApp;
}

/** Runs an endpoint, an RPC or the epoch of a trigger, and prints its result. @returns the exit code */
export function runNamed({ kind, name }: NamedTarget, given: Given, io: Io): Promise<number> {
  const unfit = UNFIT[kind].find(given.line.isSet);
  if (unfit !== undefined) {
    throw usageError(`--${unfit} is for modules, and "${name}" is ${SHOWN[kind]}.`);
  }
  return { endpoint: runEndpoint, rpc: callRpc, epoch: listEpoch }[kind](name, given, io);
}

const SHOWN = { endpoint: 'an endpoint', rpc: 'an RPC', epoch: 'an epoch' };

/** Options of `iml run` that only modules have. */
const MODULE_OPTIONS = ['start', 'state', 'payload', 'limit'];

const UNFIT: Readonly<Record<NamedTarget['kind'], readonly string[]>> = {
  endpoint: MODULE_OPTIONS,
  // Forms call RPCs before all fields have a value, so their parameters are not checked.
  rpc: [...MODULE_OPTIONS, 'defaults', 'resolve', 'no-check', 'trace-file'],
  epoch: [...MODULE_OPTIONS, 'save', 'trace-file'],
};

function runEndpoint(name: string, { args, loaded }: Given, io: Io): Promise<number> {
  const { app } = loaded;
  const endpoint = findNamed(() => findEndpoint(app, name));
  const component = { kind: 'endpoint', name } as const;
  const form = { what: 'endpoint', list: readForm(endpoint.input) };
  const target: EngineTarget = { args, loaded, component, connected: endpoint, form, kind: 'endpoint' };
  return withEngine(target, io, async ({ engine, input, settings }) => {
    const limits = limitsOfRun({ app, settings: { ...settings, input } });
    const writeTrace = startTraceFile({ ...settings, input, app, component, limits });
    const report = await engine.endpoint(name).run(input);
    await printResult(report, settings, { args, io });
    await writeTrace?.(report, { bundles: report.ok ? 1 : 0, error: report.error }, io);
    const lacking = input.connection === undefined ? endpoint.connections : [];
    return { ...report, notes: report.ok ? '' : noteOn(report.error, report.stats.requests, lacking) };
  });
}

function callRpc(address: string, { args, loaded }: Given, io: Io): Promise<number> {
  const { name, query = [] } = parseRpcReference(address) ?? { name: address };
  const rpc = findNamed(() => findRpc(loaded.app, name));
  const component = { kind: 'rpc', name: rpc.name } as const;
  const form = { what: 'RPC', list: readForm(rpc.params) };
  const recorded = query.length === 0 ? {} : { query: Object.fromEntries(query) };
  const target: EngineTarget = { args, loaded, component, connected: rpc, form, kind: 'rpc', recorded };
  return withEngine(target, io, async ({ engine, input, settings }) => {
    const report = await engine.rpc(address).call(input);
    await printResult(report, settings, { args, io });
    return report;
  });
}

function listEpoch(name: string, { args, loaded }: Given, io: Io): Promise<number> {
  const module = findNamed(() => findModule(loaded.app, name));
  if (module.type !== 'trigger' || module.epoch === undefined) {
    const why = module.type === 'trigger' ? 'has no epoch' : `is of type ${module.type}`;
    throw usageError(
      `The module "${module.name}" ${why}: only polling triggers with an epoch have start options.`,
    );
  }
  const component = { kind: 'module', name: module.name } as const;
  const form = { what: 'module', list: moduleForm(module) };
  const target: EngineTarget = { args, loaded, component, connected: module, form, kind: 'epoch' };
  return withEngine(target, io, async ({ engine, input, settings }) => {
    const { entries = [], result: _, ...report } = await engine.module(name, 'trigger').epoch(input);
    const writer = createBundleWriter(settings, io.stdout, 'entries');
    for (const entry of entries) await writer.write(toRow(entry));
    await writer.end(report);
    const { error, stats } = report;
    if (error?.type === 'BundleValidationError' && stats.requests === 0)
      return { ...report, notes: checkNote(error, form.list) };
    const isEmpty = entries.length === 0 && error === undefined;
    return { ...report, notes: isEmpty ? 'The epoch returned no entries.\n' : '' };
  });
}

function toRow({ id, label, date, state }: EpochEntry): Record<string, unknown> {
  return { id, ...(date !== undefined && { date }), label, state };
}

/** Prints a result as JSON; a list also as a table or NDJSON. */
async function printResult<Report extends PrintedReport & { readonly result: unknown }>(
  report: Report,
  settings: RunSettings,
  { args, io }: { readonly args: Arguments; readonly io: Io },
): Promise<void> {
  const save = settings.save === undefined ? undefined : createSaveBinaries(settings.save, io);
  const result = save === undefined ? report.result : await save(report.result);
  const { form } = settings;
  if (form === 'json' || form === 'query') return writeReport({ ...report, result }, settings, io.stdout);
  if (report.error !== undefined) return;
  const rows = Array.isArray(result) ? result : [result];
  if (args.isSet('table')) return io.stdout.write(printTable(rows, io.stdout.columns));
  if (args.isSet('ndjson')) return io.stdout.write(rows.map((row) => `${printJson(row)}\n`).join(''));
  return io.stdout.write(`${printPrettyJson(result)}\n`);
}

/** `--defaults` helps only if a missing field has a default. */
export function checkNote(
  { suberrors = [] }: Pick<AppError, 'suberrors'>,
  form: ReturnType<typeof readForm>,
): string {
  const missing = suberrors.flatMap((text) => /required parameter '([^'.[]+)/.exec(text)?.[1] ?? []);
  const hasDefault = missing.some((name) => {
    const value = findParameter(form, name)?.default;
    return value !== undefined && value !== null && value !== '';
  });
  return `Nothing was sent. ${hasDefault ? '--defaults fills in defaults, ' : ''}--no-check skips this check.\n`;
}

function noteOn(error: AppError, requests: number, lacking: readonly string[]): string {
  if (error.type === 'BundleValidationError' && requests === 0) {
    return 'Nothing was sent. --no-check passes the parameters unchecked, as an AI caller does.\n';
  }
  if (lacking.length === 0) return '';
  const names = lacking.map((one) => `"${printableLine(one)}"`).join(', ');
  return `The endpoint uses the connection ${names}, and none was given: --connection NAME takes one that iml connect made.\n`;
}
