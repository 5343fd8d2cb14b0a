import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeLoginPage } from '../../../server/login-page.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { parseRole } from '../../roles.ts'

/** URL openers by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' }

const open: CommandSetup = (command, context) => {
  command
    .description('Open the web console in a browser, or print its address if there is no browser.')
    .option('--print', 'only print the address, with a one-time login that is valid for one minute')
    .option('--role <role>', 'call: view and submit calls; approve: also approve and reject', 'approve')
    .addHelpText(
      'after',
      `
Examples:
  toolgate open
  toolgate open --print        to paste into a browser
  toolgate open --role call

The login is passed to the browser in a file that only you can read, so it does not appear in the process list. A browser from a
snap or flatpak may be unable to read the file: use --print and paste the address.`
    )
    .action(async ({ print, role }: { print?: boolean; role: string }) => {
      const rights = parseRole(role)
      const client = await context.connect()
      const { terminal, signal, runtime } = context
      const { path, expires_at } = await client.createOneTimeCode({ rights, signal })
      const url = `${client.connection.url}${path}`
      if (terminal.json) return terminal.printJson({ url, expires_at })
      if (!print && (await openInBrowser(url, runtime.env)))
        return terminal.info(
          `Opening the console of ${client.connection.url}. If the browser cannot read the file: toolgate open --print`
        )
      terminal.print(url)
      terminal.info('It can be used once, within one minute.')
    })
}
export default open

/** Returns true if an opener was found. */
async function openInBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const opener = OPENERS[process.platform]
  const sees = process.platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY
  if (!opener || !sees) return false
  const child = spawn(opener, [writeLoginPage(env, url)], { stdio: 'ignore', detached: true, env })
  child.unref()
  return once(child, 'spawn').then(
    () => true,
    () => false
  )
}
