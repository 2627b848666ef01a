export function StatisticsPage() {
  return <h1>StatisticsPage</h1>;
}
