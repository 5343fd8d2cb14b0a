// Tests of the built client, bundled into a page as users do, in a real browser.
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import type * as Library from '../../../src/client/client.ts'
import { startApp, TOKEN } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { launchChromium } from './browser.ts'

declare const toolgate: typeof Library

t.test('in a browser', needs('chromium', 'playwright-core'), async t => {
  const browser = await launchChromium()
  t.teardown(() => browser.close())
  const server = await startApp(t, { 'a.txt': 'hello\n' })
  const page = await browser.newPage()
  // The server accepts requests from its own pages, so this page acts as if it had loaded the client.
  await page.goto(`${server.url}/health`)
  await page.evaluate(await bundle(t))

  const connection = { url: server.url, token: TOKEN, client: 'page' }
  const seen = await page.evaluate(async connection => {
    const client = toolgate.connect(connection)
    const call = await client.call('edit_file', { path: 'a.txt', old: 'hello', new: 'bye' })
    if (call.status !== 'awaiting_approval') return { call }
    const { tool_call_id, approval } = call
    const refused = await client.approve(tool_call_id, { digest: '0'.repeat(64) }).catch(error => error)
    const done = await client.approve(tool_call_id, { digest: approval.digest, wait_ms: 120_000 })
    const types: string[] = []
    for await (const event of client.events({ after: 0, tool_call_id })) {
      types.push(event.type)
      if (event.type === 'tool.result') break
    }
    return {
      diff: approval.preview.diff,
      refused: refused instanceof toolgate.ToolgateError && [refused.code, refused.status],
      status: done.status,
      client: done.client,
      types
    }
  }, connection)
  t.strictSame(seen, {
    diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-hello\n+bye\n',
    refused: ['PREVIEW_CHANGED', 409],
    status: 'success',
    client: 'page',
    types: ['stream.snapshot', 'tool.call', 'tool.decision', 'file.changed', 'tool.result']
  })
  t.equal(server.read('a.txt'), 'bye\n')
})

/** Bundles a script that exports `toolgate`. Node-only imports cannot be bundled for a browser. */
async function bundle(t: Test): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['dist/client/client.js'],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'library',
    footer: { js: 'globalThis.toolgate = library' },
    metafile: true,
    write: false
  })
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  t.strictSame(imported, [], 'it stands alone')
  return outputFiles[0]!.text
}
