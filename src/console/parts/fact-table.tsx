/** A table of properties, one per row. */
export function FactTable(props: {
  caption: string;
  rows: readonly (readonly [what: string, value: string])[];
}) {
  const { caption, rows } = props;
  return (
    <table>
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([what, value]) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
