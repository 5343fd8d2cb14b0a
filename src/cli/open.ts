import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { leaveLeadingPage } from '../host/server/leading-page.ts'
import { rightsOf } from './role.ts'
import type { Verb } from './run.ts'

/** What each system opens an address with. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' }

const open: Verb = (command, context) => {
  command
    .description('Open the web console in a browser, or print its address where there is none.')
    .option('--print', 'only print the address; it holds a code that counts once, for a minute')
    .option('--role <role>', 'call: the page may look and call; approve: decide too', 'approve')
    .addHelpText(
      'after',
      `
Examples:
  toolgate open
  toolgate open --print        to paste into a browser
  toolgate open --role call

The browser is handed a file that you alone can read and that leads there, so that the code stands in no list of processes.
A browser from a snap or a flatpak may not be let to read it: give that one the address that --print tells.`
    )
    .action(async ({ print, role }: { print?: boolean; role: string }) => {
      const rights = rightsOf(role)
      const client = await context.connect()
      const { terminal, signal, world } = context
      const { path, expires_at } = await client.makeCode({ rights, signal })
      const url = `${client.connection.url}${path}`
      if (terminal.json) return terminal.outJson({ url, expires_at })
      if (!print && (await show(url, world.env)))
        return terminal.say(
          `The console of ${client.connection.url} opens. If the browser may not read the file: toolgate open --print`
        )
      terminal.out(url)
      terminal.say('It counts once, for a minute.')
    })
}
export default open

/** Whether something was found to show it with. */
async function show(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const opener = OPENERS[process.platform]
  const sees = process.platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY
  if (!opener || !sees) return false
  const child = spawn(opener, [leaveLeadingPage(env, url)], { stdio: 'ignore', detached: true, env })
  child.unref()
  return once(child, 'spawn').then(
    () => true,
    () => false
  )
}
