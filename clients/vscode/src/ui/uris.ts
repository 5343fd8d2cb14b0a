// Addresses of the documents that show calls: `toolgate:/<id>/<part>/<name>`. The name is what the tab shows.
import * as vscode from 'vscode'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'
import type { DiffSide } from '../model/card.ts'

export const SCHEME = 'toolgate'

/** The end of the names of cards, by which VS Code knows their language. */
const CARD_SUFFIX = ' (Toolgate)'
const MAX_NAME_LENGTH = 60

/** A document about a call. */
export type CallDocument =
  | { readonly id: string; readonly part: 'card' | 'undo' }
  | ({ readonly id: string; readonly part: 'side' } & DiffSide)

export const cardUri = (id: string, title: string): vscode.Uri =>
  documentUri(id, 'card', `${toName(title)}${CARD_SUFFIX}`)

export const undoUri = (id: string, title: string): vscode.Uri =>
  documentUri(id, 'undo', `Undo ${toName(title)}${CARD_SUFFIX}`)

/** Returns the address of a text of a file. The path determines its language. */
export const sideUri = (id: string, { file, side }: DiffSide, path: string): vscode.Uri =>
  documentUri(id, `${side}-${file}`, path)

export function parseUri(uri: vscode.Uri | undefined): CallDocument | undefined {
  if (uri?.scheme !== SCHEME) return undefined
  const [, id = '', part = ''] = uri.path.split('/')
  const [, side, file] = /^(before|after)-(\d+)$/.exec(part) ?? []
  if (side !== undefined) return { id, part: 'side', side: side as DiffSide['side'], file: Number(file) }
  return part === 'card' || part === 'undo' ? { id, part } : undefined
}

/** Shortens a title to a name without slashes. */
export function toName(title: string): string {
  const name = escapeLine(title).replaceAll('/', '∕')
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
}

const documentUri = (id: string, part: string, name: string) =>
  vscode.Uri.from({ scheme: SCHEME, path: `/${id}/${part}/${name}` })
