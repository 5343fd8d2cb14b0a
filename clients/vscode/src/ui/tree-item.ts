// Items of the trees from their entries.
import * as vscode from 'vscode'
import type { TreeEntry } from '../model/tree-items.ts'

export function toTreeItem({ id, label, description, tooltip, icon, color, kind }: TreeEntry): vscode.TreeItem {
  const item = new vscode.TreeItem(label)
  return Object.assign(item, {
    id,
    description,
    tooltip,
    contextValue: kind,
    iconPath: new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color))
  })
}
