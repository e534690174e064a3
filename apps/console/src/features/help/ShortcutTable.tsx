import { shortcuts } from "./shortcuts.ts";

export function ShortcutTable() {
  return (
    <table className="w-full border-collapse text-left text-sm">
      <tbody>
        {shortcuts.map(({ keys, does }) => (
          <tr key={keys} className="border-b last:border-b-0">
            <th scope="row" className="py-1.5 pr-6 font-mono text-xs font-normal whitespace-nowrap">
              {keys}
            </th>
            <td className="py-1.5">{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
