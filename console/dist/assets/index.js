document.getElementById("root").textContent = "Steward";
