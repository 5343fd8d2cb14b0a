// Addresses of the documents of the extension: `<scheme>:/<name>?<id>/<part>`. The name is what editors show; it is equal for both
// sides of a comparison.
import * as vscode from 'vscode'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'
import type { DiffSide } from '../model/card.ts'

/** Read-only documents. */
export const SCHEME = 'toolgate'
/** Documents that the person can edit. They are in memory alone. */
export const EDIT_SCHEME = 'toolgate-edit'

/** The end of the names of cards, by which VS Code knows their language. */
const CARD_SUFFIX = ' (Toolgate)'
const MAX_NAME_LENGTH = 60

/** A document about a call or a proposal. */
export type DocumentRef =
  | { readonly id: string; readonly part: 'card' | 'undo' | 'params' | 'proposal' }
  | ({ readonly id: string; readonly part: 'side' } & DiffSide)

export const cardUri = (id: string, title: string): vscode.Uri =>
  documentUri(SCHEME, id, 'card', `${toName(title)}${CARD_SUFFIX}`)

export const undoUri = (id: string, title: string): vscode.Uri =>
  documentUri(SCHEME, id, 'undo', `Undo: ${toName(title)}${CARD_SUFFIX}`)

/** Returns the address of a text of a file. The path determines its language. */
export const sideUri = (id: string, { file, side }: DiffSide, path: string): vscode.Uri =>
  documentUri(SCHEME, id, `${side}-${file}`, path)

export const paramsUri = (id: string, tool: string): vscode.Uri =>
  documentUri(EDIT_SCHEME, id, 'params', `${toName(tool)} parameters.json`)

export const proposalUri = (id: string, path: string): vscode.Uri => documentUri(EDIT_SCHEME, id, 'proposal', path)

export function parseUri(uri: vscode.Uri | undefined): DocumentRef | undefined {
  if (uri?.scheme !== SCHEME && uri?.scheme !== EDIT_SCHEME) return undefined
  const [id = '', part = ''] = uri.query.split('/')
  const [, side, file] = /^(before|after)-(\d+)$/.exec(part) ?? []
  if (side !== undefined) return { id, part: 'side', side: side as DiffSide['side'], file: Number(file) }
  return part === 'card' || part === 'undo' || part === 'params' || part === 'proposal' ? { id, part } : undefined
}

/** Shortens a title to a name without slashes. */
export function toName(title: string): string {
  const name = escapeLine(title).replaceAll('/', '∕')
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
}

const documentUri = (scheme: string, id: string, part: string, name: string) =>
  vscode.Uri.from({ scheme, path: `/${name}`, query: `${id}/${part}` })
