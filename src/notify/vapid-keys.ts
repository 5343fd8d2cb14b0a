// Keys by which push services recognize this server (VAPID, RFC 8292). They are made at first use, and kept in the state folder.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { writePrivateFile } from '../server/private-files.ts'

const FILE = 'web-push-keys.json'

export interface VapidKeys {
  publicKey: string
  privateKey: string
}

/** Returns the keys of a state folder; makes them if there are none. */
export async function openVapidKeys(stateDir: string): Promise<VapidKeys> {
  const known = readKeys(path.join(stateDir, FILE))
  if (known) return known
  const { default: webPush } = await import('web-push')
  // Another request may have made them meanwhile.
  const keys = readKeys(path.join(stateDir, FILE)) ?? webPush.generateVAPIDKeys()
  writePrivateFile(stateDir, FILE, `${JSON.stringify(keys)}\n`)
  return keys
}

function readKeys(file: string): VapidKeys | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VapidKeys
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
