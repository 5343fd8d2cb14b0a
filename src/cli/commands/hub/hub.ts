// The hub command: starts a hub, and makes codes by which servers are enrolled at it.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import { consoleFiles } from '../../../host/console-files.ts'
import { SecretMasker } from '../../../host/secrets/secret-masker.ts'
import type { Database } from '../../../hub/database/database.ts'
import { createLogger } from '../../../server/log.ts'
import { ensureStateFolder, writePrivateFile } from '../../../server/private-files.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { addAccountCommands } from './account.ts'
import { DEFAULT_HUB, DEFAULT_PORT, type HubAddress, hubFolder, openHubClient, TOKEN_FILE } from './hub-client.ts'
import { createOidcSignIn, parsePublicUrl } from './oidc-options.ts'
import { addHubRuleCommands } from './rules.ts'

interface ServeHubOptions {
  database?: string
  host: string
  port: string
  tokenFile?: string
  rulesKey?: string
  maxAgeDays?: string
  allowedHost?: string[]
  behindProxy?: true
  publicUrl?: string
  oidcIssuer?: string
  oidcClientId?: string
  oidcClientSecretFile?: string
  oidcAllow?: string[]
}

interface EnrollOptions extends HubAddress {
  name?: string
}

const RULES_KEY_FILE = 'hub-rules-key.pem'
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/

const hub: CommandSetup = (command, context) => {
  command
    .description("Start a hub. It collects the journals of a team's servers, and enrolls servers.")
    .option(
      '--database <url>',
      "PostgreSQL database, such as postgres://user@host/toolgate (default: a database in the hub's process)"
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'TCP port; 0 selects a free port', DEFAULT_PORT)
    .option(
      '--token-file <file>',
      'file that contains the token of the administrator account (default: the hub creates one)'
    )
    .option(
      '--rules-key <file>',
      'file with the private key that signs rules; all processes of the hub must have the same key'
    )
    .option('--max-age-days <days>', 'delete events and ended calls after this number of days (default: keep all)')
    .option(
      '--allowed-host <host>',
      'additional value of the Host header that is accepted, including the port; repeatable',
      collect
    )
    .option(
      '--behind-proxy',
      'declare that a TLS proxy is in front of the hub; required to listen on an address that is not loopback'
    )
    .option('--public-url <url>', 'address of the hub for browsers, such as https://hub.example.com')
    .option('--oidc-issuer <url>', 'URL of the OpenID provider for sign-in')
    .option('--oidc-client-id <id>', 'client id of the hub at the provider')
    .option('--oidc-client-secret-file <file>', 'file that contains the client secret')
    .option(
      '--oidc-allow <who=role>',
      'people who may sign in, with their role: an email address, @domain, or claim:value, as viewer, approver or admin; repeatable',
      collect
    )
    .addHelpText(
      'after',
      `
Examples:
  toolgate hub
  toolgate hub --database postgres://toolgate@db/toolgate --host 0.0.0.0 --behind-proxy --token-file /run/secrets/hub
  toolgate hub enroll
  toolgate hub account add Ada --role approver
  toolgate serve --hub http://127.0.0.1:7780 --hub-code CODE

Any number of hubs may share one PostgreSQL. Without --database the hub is for trying it: one process, on this machine.`
    )
    .action(async (options: ServeHubOptions) => {
      context.exitCode = await serveHub(context, options)
    })

  command
    .command('enroll')
    .description('Print a code that enrolls one server. The code is valid for one hour.')
    .option('--hub <url>', 'address of the hub', DEFAULT_HUB)
    .option('--token-file <file>', 'file that contains the token of the administrator account')
    .option('--name <name>', 'name of the server at the hub (default: the host name)')
    .addHelpText('after', '\nExamples:\n  toolgate hub enroll --name build-7')
    // Both commands have --token-file, and the outer one takes it wherever it is.
    .action(async (_options: object, enroll: Command) => enrollServer(context, enroll.optsWithGlobals<EnrollOptions>()))

  addAccountCommands(command, context)
  addHubRuleCommands(command, context)
}
export default hub

const collect = (value: string, before: string[] = []) => [...before, value]

async function serveHub(context: CliContext, options: ServeHubOptions): Promise<number> {
  const { runtime, terminal } = context
  const { host, port, allowedHost = [], behindProxy, publicUrl, maxAgeDays } = options
  if (!LOOPBACK.test(host) && !behindProxy)
    throw usageError(
      `${host} is not a loopback address, and the hub does not support TLS. Put a TLS proxy in front of the hub, and add --behind-proxy.`
    )
  if (!/^\d{1,5}$/.test(port)) throw usageError('--port requires a number.')
  if (maxAgeDays !== undefined && !/^[1-9]\d{0,4}$/.test(maxAgeDays))
    throw usageError('--max-age-days requires a number from 1 to 99999.')
  const folder = hubFolder(runtime.env)
  ensureStateFolder(folder)
  const token = readToken(folder, options.tokenFile)
  const oidc = await createOidcSignIn(runtime.env, options)
  const database = await openDatabase(folder, options.database, context)
  const { createHub, listAllowedHosts } = await import('../../../hub/hub.ts')
  const signer = await openSigner(folder, options)
  const masking = new SecretMasker(
    { mask: true, env: [], files: [] },
    { tokens: () => [token], environment: runtime.env }
  )
  const log = createLogger({ level: 'info' }, masking)
  const allowed = [...allowedHost, ...(publicUrl === undefined ? [] : [parsePublicUrl(publicUrl).host])]
  let hosts: readonly string[] = []
  const { http, close } = await createHub({
    database,
    people: [{ token, name: userInfo().username }],
    oidc,
    consoleFiles: consoleFiles(),
    hosts: () => hosts,
    origins: allowed.map(name => `https://${name}`),
    rules: { signer, checkRule: async rule => (await import('../../../app.ts')).validateRule(rule) },
    maxAgeDays: maxAgeDays === undefined ? undefined : Number(maxAgeDays),
    log
  })
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  runtime.onSignal(() => stop())
  try {
    const url = await http.listen({ host, port: Number(port) })
    hosts = listAllowedHosts(http.addresses() as AddressInfo[], { allowed_hosts: allowed })
    terminal.print(
      terminal.json
        ? JSON.stringify({ url })
        : `Hub listening on ${url}. Sign in with the token in ${tokenFileOf(folder, options.tokenFile)}. To enroll a server: toolgate hub enroll`
    )
    await stopped
  } finally {
    await close()
  }
  return EXIT.ok
}

async function openDatabase(folder: string, url: string | undefined, { terminal }: CliContext): Promise<Database> {
  if (url !== undefined) {
    const { PostgresDatabase } = await import('../../../hub/database/postgres.ts')
    return PostgresDatabase.open(url).catch(error => {
      throw new CliError(`The database cannot be opened: ${(error as Error).message}`, {
        exit: EXIT.unreachable,
        code: 'UNREACHABLE'
      })
    })
  }
  terminal.info(
    'toolgate: without --database, the hub is only for evaluation: it has one process, and its database is in the state folder'
  )
  const { EmbeddedDatabase } = await import('../../../hub/database/embedded.ts')
  return EmbeddedDatabase.open(path.join(folder, 'database')).catch(error => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CliError('The embedded database for evaluation is not installed.', {
      exit: EXIT.failed,
      code: 'NOT_FOUND',
      hint:
        'Install the database in the folder of Toolgate: npm install @electric-sql/pglite. Or give a PostgreSQL database ' +
        'with --database.'
    })
  })
}

const tokenFileOf = (folder: string, given: string | undefined) => given ?? path.join(folder, TOKEN_FILE)

/** Returns the token of the account that may decide: from a file, or the one in the state folder, which is made if there is none. */
function readToken(folder: string, tokenFile: string | undefined): string {
  const file = tokenFileOf(folder, tokenFile)
  if (tokenFile === undefined && !existsSync(file))
    writePrivateFile(folder, TOKEN_FILE, `${randomBytes(24).toString('base64url')}\n`)
  const token = readFileSync(file, 'utf8').trim()
  if (token.length < 16) throw usageError(`The token in ${file} is too short: it must have at least 16 characters.`)
  return token
}

/**
 * Returns what signs rules: with the key of a file or, on the embedded database, with one in the state folder, which is made if there is
 * none. Processes that share a PostgreSQL have none of their own, since servers know one key.
 */
async function openSigner(folder: string, { rulesKey, database }: ServeHubOptions) {
  const { RuleSigner } = await import('../../../hub/hub.ts')
  if (rulesKey === undefined && database !== undefined) return undefined
  const file = rulesKey ?? path.join(folder, RULES_KEY_FILE)
  if (rulesKey === undefined && !existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writePrivateFile(folder, RULES_KEY_FILE, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  }
  try {
    return new RuleSigner(readFileSync(file, 'utf8'))
  } catch (error) {
    throw usageError(`The key in ${file} cannot be used: ${(error as Error).message}`)
  }
}

async function enrollServer(context: CliContext, { name, ...address }: EnrollOptions) {
  const { terminal } = context
  const hub = openHubClient(context, address)
  const answer = await hub.ask<{ code: string; expires_at: string }>('POST', '/enrolments', {
    ...(name !== undefined && { name })
  })
  if (terminal.json) terminal.printJson({ hub: hub.url, ...answer })
  else terminal.print(`toolgate serve --hub ${hub.url} --hub-code ${answer.code}`)
}
