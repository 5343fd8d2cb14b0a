import type { Client, PortLink } from '../../../client/client.ts'
import { writeLoginPage } from '../../../server/login-page.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { CliError, EXIT, usageError } from '../../exit.ts'
import { parseRole } from '../../roles.ts'

/** URL openers by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' }

const open: CommandSetup = (command, context) => {
  command
    .description('Open the web console, or a port of a job, in a browser. Prints the address if there is no browser.')
    .argument('[task]', 'id of a running job whose port is opened, instead of the web console')
    .option('--print', 'only print the address; it logs in once, within one minute')
    .option('--port <port>', 'port of the job (default: its first port)')
    .option(
      '--role <role>',
      'rights in the web console. call: view and submit calls; approve: also approve and reject',
      'approve'
    )
    .addHelpText(
      'after',
      `
Examples:
  toolgate open
  toolgate open --print        to paste into a browser
  toolgate open --role call
  toolgate open tc_01J…

The login is passed to the browser in a file that only you can read, so it does not appear in the process list. A browser from a
snap or flatpak may be unable to read the file: use --print and paste the address.`
    )
    .action(async (task: string | undefined, options: Options) => {
      const client = await context.connect()
      const { terminal, signal, runtime } = context
      const { name, url, expires_at } =
        task === undefined
          ? await createConsoleLink(client, options, signal)
          : await createPortLink(client, task, options, signal)
      if (terminal.json) return terminal.printJson({ url, expires_at })
      if (!options.print && (await openInBrowser(url, runtime.env)))
        return terminal.info(`Opening ${name}. If the browser cannot read the file, use --print.`)
      terminal.print(url)
      terminal.info('The address can be used once, within one minute.')
    })
}
export default open

interface Options {
  print?: boolean
  port?: string
  role: string
}

interface NamedLink extends PortLink {
  name: string
}

async function createConsoleLink(client: Client, { role, port }: Options, signal: AbortSignal): Promise<NamedLink> {
  if (port !== undefined)
    throw usageError('--port requires the id of a job.', 'Example: toolgate open <task> --port <port>')
  const { path, expires_at } = await client.createOneTimeCode({ rights: parseRole(role), signal })
  const { url } = client.connection
  return { name: `the console of ${url}`, url: `${url}${path}`, expires_at }
}

async function createPortLink(client: Client, task: string, options: Options, signal: AbortSignal): Promise<NamedLink> {
  const { status, ports = [] } = await client.job(task, { signal })
  if (status !== 'running' || ports.length === 0)
    throw new CliError(`The job ${task} has no reachable ports.`, {
      exit: EXIT.failed,
      code: 'NOT_FOUND',
      hint: 'To list running jobs with their ports: toolgate jobs'
    })
  const port = options.port === undefined ? ports[0]!.port : Number(options.port)
  if (!ports.some(each => each.port === port))
    throw usageError(
      `Port ${options.port} of the job ${task} is not reachable.`,
      `Reachable ports: ${ports.map(each => each.port).join(', ')}.`
    )
  return { name: `port ${port} of ${task}`, ...(await client.openPort(task, port, { signal })) }
}

/** Returns true if an opener was found. */
async function openInBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const opener = OPENERS[process.platform]
  const sees = process.platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY
  if (!opener || !sees) return false
  const { execa } = await import('execa')
  const browser = execa(opener, [writeLoginPage(env, url)], {
    env,
    extendEnv: false,
    stdio: 'ignore',
    detached: true,
    cleanup: false,
    reject: false
  })
  browser.unref()
  return browser.pid !== undefined
}
