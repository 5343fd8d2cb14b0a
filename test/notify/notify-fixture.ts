// Fixture: a server with notification channels.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import type { NotificationSettings } from '../../src/config/notifications.ts'
import { type StartOptions, startApp, type TestApp } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'

/** Starts a server that notifies at once and always, unless the settings say otherwise. */
export function startNotifying(
  t: Test,
  notifications: Partial<NotificationSettings & { retry_ms: number; tries: number; timeout_ms: number }>,
  options: StartOptions = {}
): Promise<TestApp> {
  const settings = {
    ...options.settings,
    notifications: {
      ...defaultSettings().notifications,
      after_ms: 0,
      when: 'always' as const,
      retry_ms: 1,
      ...notifications
    }
  }
  return startApp(t, {}, { ...options, settings })
}

/** Writes a file with a secret, and returns its path. */
export function writeSecret(t: Test, secret: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-secret-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'secret')
  writeFileSync(file, `${secret}\n`)
  return file
}

/** Sends a call that waits for approval, since it replaces a file. */
export function requestWrite(app: TestApp, file = 'a.txt', more: object = {}) {
  app.write(file, 'before\n')
  return app.call('write_file', { path: file, content: 'x\n' }, more)
}

export const readChannels = async (app: TestApp) => (await app.get('/notifications')).channels

/** Waits until a channel is in such a state. */
export const untilChannel = (app: TestApp, name: string, fits: (channel: Record<string, unknown>) => boolean) =>
  waitUntil(`the channel ${name}`, async () => {
    const found = (await readChannels(app)).find((channel: { name: string }) => channel.name === name)
    return fits(found) && found
  })
