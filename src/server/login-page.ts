// Local page that redirects a browser to a secret URL: as an argument of the browser it would be visible to everyone on the
// machine in the process list.
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { runFolders } from './discovery.ts'
import { writePrivateFile } from './private-files.ts'

const NAME = /^open-[\w-]+\.html$/
/** Milliseconds after which the browser has read the page, and its code has expired. */
const PAGE_LIFETIME_MS = 60_000

/** Writes a page that redirects to `url` and returns its path. Removes expired earlier ones. */
export function writeLoginPage(env: Readonly<Record<string, string | undefined>>, url: string): string {
  const [folder] = runFolders(env)
  const name = `open-${randomBytes(9).toString('base64url')}.html`
  writePrivateFile(folder, name, redirectPage(url))
  removeOldPages(folder)
  return path.join(folder, name)
}

function removeOldPages(folder: string) {
  for (const name of readdirSync(folder).filter(name => NAME.test(name))) {
    const file = path.join(folder, name)
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - written > PAGE_LIFETIME_MS) rmSync(file, { force: true })
  }
}

const redirectPage = (url: string) => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${escapeHtml(url)}">
<title>Toolgate</title>
<p><a href="${escapeHtml(url)}">Continue</a>
`

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
